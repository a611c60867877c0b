import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { canonicalJson, sha256 } from '../../../lib/core/hash.ts';
import { modelFromEnvironment } from '../../../lib/models/from-environment.ts';
import { scriptedModel } from '../../../lib/testing/index.ts';
import { script } from './script.ts';
import { settings } from './settings.ts';

/** The sample's model: scripted, unless `STEPFOLD_MODEL` names another. */
export const model = await modelFromEnvironment(
  recorded(scriptedModel(script, { delayMs: settings.scriptDelay }), settings.modelRecord),
);

/** Writes down each call as it comes in, before it is answered, so that others can count what was really sent. */
function recorded(model: LanguageModelV4, file: string | undefined): LanguageModelV4 {
  if (file === undefined) return model;
  return {
    ...model,
    doGenerate(options) {
      appendCall(file, options.prompt);
      return model.doGenerate(options);
    },
  };
}

/** On disk before it returns: the line outlives a kill of this process and of the machine. */
function appendCall(file: string, prompt: LanguageModelV4Prompt): void {
  const promptHash = sha256(canonicalJson(JSON.parse(JSON.stringify(prompt))));
  const call = { at: new Date().toISOString(), messages: prompt.length, promptHash };
  const descriptor = openSync(file, 'a');
  try {
    writeSync(descriptor, `${JSON.stringify(call)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
