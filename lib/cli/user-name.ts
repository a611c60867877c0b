import { userInfo } from 'node:os';

/** Under which name a person decides who names nobody. A container may run as a user that has none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER || 'local';
  }
}
