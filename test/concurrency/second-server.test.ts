import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../lib/cli/serve.ts';
import { AGENTS, stepfold } from '../cli/stepfold.ts';
import { EmbeddedServer } from './embedded-server.ts';
import { SLOTS, slowAgent } from './slow-tool.ts';

test('a second server on the directory is refused, from this process and from another, and the first goes on', async () => {
  const { agent, full, finish } = slowAgent();
  const server = await EmbeddedServer.open([agent]);
  onTestFinished(finish);
  const runIds = await Promise.all(Array.from({ length: SLOTS }, () => server.start('worker')));
  await full;
  const before = server.contents();

  await expect(serve({ agents: [agent], port: 0, dataDir: server.data })).rejects.toMatchObject({
    code: 'data_in_use',
  });
  const other = await stepfold(['dev', '--agents', AGENTS, '--data', server.data, '--port', '0']);
  expect(other).toMatchObject({ code: 1, stdout: '' });
  expect(other.stderr).toContain('(data_in_use)');
  expect(other.stderr).toContain(`process ${process.pid}`);
  expect(server.contents()).toBe(before);

  finish();
  runIds.push(await server.start('worker'));
  for (const runId of runIds) {
    expect(await server.rest(runId)).toMatchObject({ status: 'completed', output: 'done' });
    const requests = (await server.events(runId)).filter(({ type }) => type === 'tool_call_requested');
    expect(requests).toHaveLength(1);
    expect((await server.get(`/runs/${runId}/verify`)).body).toMatchObject({ ok: true });
  }
});
