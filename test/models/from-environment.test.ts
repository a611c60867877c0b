import { describe, expect, test } from 'vitest';
import { modelFromEnvironment } from '../../lib/models/from-environment.ts';
import { scriptedModel } from '../../lib/testing/index.ts';

const fallback = scriptedModel(['hello']);

describe('the model from the environment', () => {
  test.each([[{}], [{ STEPFOLD_MODEL: '' }]])('is the fallback when none is named: %j', async (env) => {
    expect(await modelFromEnvironment(fallback, env)).toBe(fallback);
  });

  test('is the named model of the provider', async () => {
    const model = await modelFromEnvironment(fallback, {
      STEPFOLD_MODEL: 'anthropic:claude-sonnet-4-5',
      ANTHROPIC_API_KEY: 'not a real key',
    });
    expect(model.modelId).toBe('claude-sonnet-4-5');
    expect(model.specificationVersion).toBe('v4');
  });

  test.each(['claude', 'anthropic:', 'openai:gpt', 'anthropic:a b', ' anthropic:x'])(
    'refuses %j and shows what was expected',
    async (value) => {
      const model = modelFromEnvironment(fallback, { STEPFOLD_MODEL: value, ANTHROPIC_API_KEY: 'k' });
      await expect(model).rejects.toMatchObject({
        code: 'bad_model',
        message: expect.stringMatching(/anthropic:<model id>.*got/),
      });
    },
  );

  test.each([undefined, ''])('names the variable of a key that is missing: %j', async (key) => {
    const model = modelFromEnvironment(fallback, {
      STEPFOLD_MODEL: 'anthropic:claude',
      ANTHROPIC_API_KEY: key,
    });
    await expect(model).rejects.toMatchObject({
      code: 'missing_model_key',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });
});
