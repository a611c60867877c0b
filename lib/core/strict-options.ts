import * as z from 'zod';

/** An object of options that says which there are, when it is given another or none. */
export function strictOptions<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') {
        return `expected only the options ${known}; got ${(issue as { keys?: string[] }).keys?.join(', ')}`;
      }
      return `expected an object with the options ${known}`;
    },
  });
}
