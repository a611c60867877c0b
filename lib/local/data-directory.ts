import { accessSync, constants, mkdirSync } from 'node:fs';
import { StepfoldError } from '../core/errors.ts';
import { dataNotWritable } from './data-not-writable.ts';
import { fsyncDirectorySync } from './fsync-directory.ts';

/**
 * Makes sure that the data directory and its folder of blobs are there and can be written.
 *
 * @throws StepfoldError `data_not_directory` or `data_not_writable`.
 */
export function prepareDataDirectory(path: string, blobs: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    mkdirSync(blobs, { recursive: true });
    for (const each of [path, blobs]) accessSync(each, constants.R_OK | constants.W_OK | constants.X_OK);
    fsyncDirectorySync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new StepfoldError(
        'data_not_directory',
        `expected a directory for the data at ${path}; got a file there or above it. Name another directory.`,
        { cause },
      );
    }
    throw dataNotWritable(path, cause as Error);
  }
}
