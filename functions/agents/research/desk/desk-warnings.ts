import { settings } from '../settings.ts';
import { askHealth } from './ask-health.ts';

/** What the sample would miss where its desk does not answer. */
export async function deskWarnings(): Promise<string[]> {
  const { deskUrl } = settings;
  try {
    if (await askHealth(deskUrl)) return [];
  } catch (error) {
    return [(error as Error).message];
  }
  return [
    `nobody answers at ${deskUrl}, where the sample's tools look for their ticket desk: they will fail. ` +
      '`npm start` starts the desk together with the server.',
  ];
}
