import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../core/errors.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { S3 } from './aws-clients.ts';
import { partitionOf } from './key-names.ts';
import { answered, attempt } from './vendor-errors.ts';

/** How often a put is made while S3 reports another put of the same object, and the longest wait in between, in ms. */
const PUTS = 4;
const PAUSE_MS = 200;

/** Payloads in one bucket under `<tenant>/<run>/<sha256>`; S3 itself checks each against its name when it is put. */
export function s3Blobs(options: { s3: () => Promise<S3>; bucket: string }): Blobs {
  const { s3, bucket } = options;
  const what = `the bucket ${bucket}`;

  return {
    async put(run, sha256, bytes) {
      const { client, sdk } = await s3();
      const input = {
        Bucket: bucket,
        Key: keyOf(run, sha256),
        Body: bytes,
        ContentLength: bytes.length,
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
        IfNoneMatch: '*',
      };
      for (let made = 1; ; made++) {
        try {
          await attempt(what, (until) => client.send(new sdk.PutObjectCommand(input), until));
          return;
        } catch (error) {
          // The same name is the same content: it is there already.
          if (answered(error, 'PreconditionFailed')) return;
          if (!answered(error, 'ConditionalRequestConflict')) throw error;
          if (made === PUTS) throw unavailable(what, error);
          await sleep(Math.random() * PAUSE_MS);
        }
      }
    },

    async get(run, sha256) {
      const { client, sdk } = await s3();
      const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(run, sha256) });
      try {
        const { Body } = await attempt(what, (until) => client.send(command, until));
        return await read(what, async () => (await Body?.transformToByteArray()) ?? new Uint8Array());
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

function keyOf(run: RunKey, sha256: string): string {
  partitionOf(run);
  return `${run.tenant}/${run.runId}/${sha256}`;
}

/** A body that breaks off is an answer that did not come. */
async function read(what: string, body: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await body();
  } catch (cause) {
    throw unavailable(what, cause);
  }
}

/** Who may not list a bucket is told "access denied" of what is not there; a denied key or action is named instead. */
function isMissing(error: unknown): boolean {
  if (answered(error, 'NoSuchKey', 'NotFound')) return true;
  const denied = answered(error, 'AccessDenied');
  return denied !== undefined && !/kms:|s3:GetObject/.test(denied.message);
}
