import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compile, providePorts } from 'dramaturg/browser';
import { expect, onTestFinished, test } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { modelPorts } from '../src/answers/model-ports.ts';
import { twoQuestions } from '../src/definitions/two-questions.ts';

interface ModelRequest {
  readonly authorization: string | undefined;
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

test('a model behind the interface of chat completions plays the agent', async () => {
  const { url, requests } = await modelServer((content) =>
    content.includes('Extract what')
      ? { deliverables: { room: 'library', day: 'Monday' } }
      : { text: 'Which room, and when?' },
  );
  const { machine } = compile(twoQuestions('loose'));
  const ports = modelPorts({ url, model: 'a-model', key: 'secret' });
  const lines = [{ role: 'contact', text: 'The library, on Monday' }] as const;
  const actor = createActor(providePorts(machine!, ports, { transcript: () => lines })).start();
  await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
  actor.send({ type: 'message.received', text: lines[0].text });
  await waitFor(actor, ({ status }) => status === 'done');

  expect(actor.getSnapshot().output).toMatchObject({
    deliverables: { room: 'library', day: 'Monday' },
  });
  expect(requests[0]).toMatchObject({ authorization: 'Bearer secret', model: 'a-model' });
  expect(requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: lines[0].text });
});

test('what a model fails with ends the turn, in its words', async () => {
  const { url } = await modelServer(() => undefined);
  const { machine } = compile(twoQuestions('loose'));
  const actor = createActor(providePorts(machine!, modelPorts({ url, model: 'm', key: '' })));
  const failed = new Promise<{ message: string }>((resolve) => {
    actor.on('turn.failed', (event) => resolve(event as never));
  });
  actor.start();
  expect((await failed).message).toContain('The model answered 429: too much at once');
});

/** A server with the part of the protocol that the test needs. Without an answer it responds with 429. */
async function modelServer(answer: (instructions: string) => object | undefined) {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      requests.push({ ...body, authorization: request.headers.authorization });
      const content = answer(body.messages[0]!.content);
      response.writeHead(content ? 200 : 429, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          content
            ? { choices: [{ message: { role: 'assistant', content: JSON.stringify(content) } }] }
            : { error: { message: 'too much at once' } },
        ),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, requests };
}

async function readBody(request: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest;
}
