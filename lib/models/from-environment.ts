import type { LanguageModelV4 } from '@ai-sdk/provider';
import { StepfoldError } from '../core/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The model that `STEPFOLD_MODEL` names, or `fallback` where it is not set. The provider's library is loaded only when
 * it is named.
 *
 * @throws StepfoldError `bad_model` for a value that is not `anthropic:<model id>`, `missing_model_key` without
 * `ANTHROPIC_API_KEY`, `model_not_installed` when `@ai-sdk/anthropic` cannot be loaded.
 *
 * @example
 * defineAgent({ name: 'helper', model: await modelFromEnvironment(scriptedModel(['Hello.'])), … })
 */
export async function modelFromEnvironment(
  fallback: LanguageModelV4,
  env: Environment = process.env,
): Promise<LanguageModelV4> {
  const value = env.STEPFOLD_MODEL;
  if (value === undefined || value === '') return fallback;

  const modelId = /^anthropic:([\w.:/@-]{1,128})$/.exec(value)?.[1];
  if (modelId === undefined) {
    throw new StepfoldError(
      'bad_model',
      `expected STEPFOLD_MODEL to be anthropic:<model id>, or not to be set for the scripted model; got ${JSON.stringify(value)}`,
    );
  }
  const apiKey = env.ANTHROPIC_API_KEY;
  if (!apiKey) {
    throw new StepfoldError(
      'missing_model_key',
      `expected ANTHROPIC_API_KEY to hold the key for ${value}, but it is not set; set it, or unset STEPFOLD_MODEL`,
    );
  }
  const { createAnthropic } = await loadAnthropic();
  return createAnthropic({ apiKey })(modelId);
}

async function loadAnthropic() {
  try {
    return await import('@ai-sdk/anthropic');
  } catch (cause) {
    throw new StepfoldError(
      'model_not_installed',
      'expected the package @ai-sdk/anthropic, which STEPFOLD_MODEL asks for, but it cannot be loaded; npm install @ai-sdk/anthropic',
      { cause },
    );
  }
}
