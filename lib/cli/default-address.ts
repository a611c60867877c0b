/** Where the embedded world serves its API, and where commands look for it. */
export const DEFAULT_PORT = 4870;
export const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;
