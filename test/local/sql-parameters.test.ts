import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '..', '..', 'lib', 'local');

/** Node 22.18 and 24.0, which the project supports, refuse them: "column index out of range". */
test('no statement has numbered parameters, which older Nodes cannot bind by position', () => {
  const files = readdirSync(FOLDER).filter((name) => name.startsWith('sqlite-'));
  expect(files.length).toBeGreaterThan(4);
  for (const name of files) {
    const statements =
      readFileSync(join(FOLDER, name), 'utf8').match(/(?:SELECT|INSERT|UPDATE|DELETE)[^;`']*/g) ?? [];
    expect(
      statements.filter((sql) => /\?\d/.test(sql)),
      name,
    ).toEqual([]);
  }
});
