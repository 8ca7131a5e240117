import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  attachmentFolder,
  createHost,
  type Host,
  memoryStore,
  PortError,
  understudyPorts,
} from 'dramaturg';
import { type ServeHostOptions, serveHost } from 'dramaturg/service';
import { officeDefinitions } from './definitions.ts';

/** The operators, by their tokens. `reader` may not act. */
const operators = {
  ana: { name: 'Ana', scopes: ['read', 'operate'], roles: ['finance'] },
  bo: { name: 'Bo', scopes: ['read', 'operate'], roles: [] },
  reader: { name: 'Reader', scopes: ['read'], roles: [] },
} as const;

export type OperatorToken = keyof typeof operators;

/** A service with a desk, and the people who write to it. */
export interface Office {
  readonly url: string;
  readonly host: Host;
  /** What the contacts were sent, in order. */
  readonly delivered: readonly { readonly contact: string | null; readonly text: string }[];
  /** Waits until the host has no work, and fails when it has some for longer. */
  readonly atRest: (within: number) => Promise<void>;
  /** Starts a conversation and waits until the agent has spoken. */
  readonly begin: (id: string, contact: string) => Promise<void>;
  /** A message of a contact. "person" has the agent ask for a person, "fail" fails its call. */
  readonly say: (contact: string, text: string) => Promise<void>;
  /** Calls of the agent succeed again. */
  readonly repair: () => void;
  /** The service ends and listens again at the same address; `whileDown` runs in between. */
  readonly restart: (whileDown: () => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openOffice(
  options: ServeHostOptions = {},
  store = memoryStore(),
): Promise<Office> {
  let isBroken = true;
  let messages = 0;
  const files = mkdtempSync(join(tmpdir(), 'dramaturg-office-'));
  const delivered: { contact: string | null; text: string }[] = [];
  const { reply, ...others } = understudyPorts();
  const host = await createHost({
    store,
    definitions: officeDefinitions(),
    ports: {
      ...others,
      runAgent: () => {
        if (isBroken) throw new Error('No van is free.');
        return { result: 'shipped' };
      },
      reply: async (input, call) => {
        const { message } = input;
        if (message?.includes('fail') && isBroken)
          throw new PortError('port/failed', 'reply', 'The model is overloaded.');
        const answer = await reply(input, call);
        if (!message?.includes('person')) return answer;
        const name = 'request_human_intervention';
        return { ...answer, toolCalls: [{ name, arguments: { reason: 'asked for a person' } }] };
      },
    },
    attachments: { place: attachmentFolder(files) },
    channels: {
      web: {
        deliver: ({ contact, text }) => {
          delivered.push({ contact, text });
          return Promise.resolve();
        },
      },
    },
  });
  const atRest = async (within: number) => {
    if (!(await host.settle({ within }))) throw new Error(`The host works for over ${within} ms.`);
  };
  const serve = (http: string) =>
    serveHost(host, {
      http,
      desk: true,
      tokens: (token) => Promise.resolve(operators[token as OperatorToken]),
      ...options,
    });
  let service = await serve('127.0.0.1:0');
  const url = service.url!;
  return {
    url,
    host,
    delivered,
    atRest,
    begin: async (id, contact) => {
      await host.start('intake', { id, contact, channel: 'web' });
      await atRest(60_000);
    },
    say: async (contact, text) => {
      messages += 1;
      const answer = await host.receive({ contact, text, id: `m-${messages}` });
      if (!answer.accepted) throw new Error(`"${text}" is refused: ${answer.because}`);
      await atRest(60_000);
    },
    repair: () => {
      isBroken = false;
    },
    restart: async (whileDown) => {
      await service.end();
      await whileDown();
      service = await serve(new URL(url).host);
    },
    close: async () => {
      await host.stop({ within: 500 });
      await service.end();
      rmSync(files, { recursive: true, force: true });
    },
  };
}
