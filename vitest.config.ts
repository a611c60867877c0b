import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One process for each test file: a scenario kills workers and opens its own SQLite files.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // node:sqlite still announces itself as experimental in Node 24.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  },
});
