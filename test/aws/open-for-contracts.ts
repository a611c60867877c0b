import { drivenWorld } from './driven-world.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

let stage: Promise<AwsStage> | undefined;

/** A world on the wire of AWS, which all worlds of this process share, in a group of schedules of its own. */
export async function openAws() {
  stage ??= openAwsStage();
  const { aws } = await stage;
  aws.schedules.length = 0;
  return drivenWorld(await stage);
}

/** Ends the wire. */
export async function closeAws(): Promise<void> {
  await (await stage)?.close();
  stage = undefined;
}
