import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { unavailable } from '../core/errors.ts';
import type { Notice, Notifier } from '../ports/notifier.ts';
import { dataNotWritable } from './data-not-writable.ts';
import { fsyncDirectorySync } from './fsync-directory.ts';

/** Tells people by a file with one JSON line per notice, and by a short line for the terminal. */
export interface FileNotifier extends Notifier {
  close(): void;
}

/** A notice is written, and `notify` called, once for each id, also across restarts. */
export function openFileNotifier(path: string, notify: (line: string) => void): FileNotifier {
  const file = openForAppending(path);
  const text = readFileSync(path, 'utf8');
  const told = idsIn(text);
  /** The last line was cut short by a crash or a full disk: the next one begins on a line of its own. */
  let torn = text !== '' && !text.endsWith('\n');

  return {
    async tell(notice) {
      if (told.has(notice.id)) return;
      const line = `${torn ? '\n' : ''}${JSON.stringify(notice)}\n`;
      try {
        torn = true;
        writeAll(file, Buffer.from(line));
        fsyncSync(file);
        torn = false;
      } catch (cause) {
        throw unavailable('the file of notifications', cause);
      }
      told.add(notice.id);
      notify(onOneLine(inWords(notice)));
    },

    close: () => closeSync(file),
  };
}

function openForAppending(path: string): number {
  try {
    const file = openSync(path, 'a');
    fsyncDirectorySync(dirname(path));
    return file;
  } catch (cause) {
    throw dataNotWritable(path, cause as Error);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

function idsIn(text: string): Set<string> {
  const ids = text.split('\n').map((line) => {
    try {
      return (JSON.parse(line) as { id?: unknown }).id;
    } catch {
      return undefined;
    }
  });
  return new Set(ids.filter((id) => typeof id === 'string'));
}

function inWords({ type, runId, agent, status, reason, interruptId, tool, summary }: Notice): string {
  if (type === 'ended') return `${runId} (${agent}) has ended: ${status}`;
  const about = [tool, summary].filter((part) => part !== undefined).join(': ');
  return `${runId} (${agent}) waits, ${reason}${about && ` for ${about}`} [interrupt ${interruptId}]`;
}

/** The words of a notice come from models and tools: nothing in them may move a cursor or hide text. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (mark) =>
    mark === '\n' ? ' ' : `\\u{${mark.codePointAt(0)?.toString(16)}}`,
  );
}
