import { plantedTexts } from '@dramaturg/testing';
import {
  compile,
  createHost,
  type Host,
  type HostOptions,
  type StoreLocation,
} from '../../src/index.ts';
import { memoryPorts } from '../../src/ports.ts';

/** People whose data a host keeps in every place that there is. */

/** A run that remembers, saves, asks a person, and talks to the contact. */
const order = {
  StartAt: 'Note',
  States: {
    Note: {
      Type: 'Task',
      Agent: 'Note',
      Memory: {
        Namespace: 'notes',
        Write: [
          { 'Key.$': '$.note', 'Value.$': '$.note' },
          { Key: 'all', 'Value.$': '$.list', Merge: true },
        ],
      },
      ResultPath: '$.noted',
      Next: 'Keep',
    },
    Keep: { Type: 'Checkpoint', Name: 'noted', Next: 'Ask' },
    Ask: { Type: 'Approval', Prompt: 'Send {{$.note}}?', ResultPath: '$.r', Next: 'Check' },
    Check: { Type: 'Task', Agent: 'workflow:check', ResultPath: '$.checked', Next: 'Talk' },
    Talk: { Type: 'Task', Agent: 'plan:intake', ResultPath: '$.talked', End: true },
  },
};

const check = {
  StartAt: 'Look',
  States: { Look: { Type: 'Task', Agent: 'Look', End: true } },
};

const parent = {
  StartAt: 'Call',
  States: { Call: { Type: 'Task', Agent: 'workflow:check', End: true } },
};

const intake = {
  id: 'intake',
  title: 'Intake',
  states: [
    {
      id: 'talk',
      title: 'Talk',
      tasks: [
        {
          id: 'ask',
          description: 'Ask',
          deliverables: [{ key: 'name', type: 'string', description: 'What is your name?' }],
        },
      ],
    },
  ],
};

const asl = { format: 'asl', options: { dialect: 'agent' } };
const definitions = {
  order: compile(JSON.stringify(order), asl),
  check: compile(JSON.stringify(check), asl),
  parent: compile(JSON.stringify(parent), asl),
  intake: compile(JSON.stringify(intake)),
};

/** Opens a host whose agents answer with the next text of the person whose turn it is. */
export async function openHost(
  store: StoreLocation,
  memoryFile: string | undefined,
  text: () => string,
  more: Partial<HostOptions> = {},
): Promise<Host> {
  return createHost({
    store,
    definitions,
    channels: { main: { deliver: () => {} } },
    ports: {
      runAgent: () => ({ result: text() }),
      reply: () => ({ text: text(), toolCalls: [] }),
      extract: () => ({ value: {} }),
      ...memoryPorts(memoryFile === undefined ? {} : { file: memoryFile }),
    },
    ...more,
  });
}

/** The texts of a person, each planted once. */
export class Person {
  readonly texts: readonly string[];
  readonly contact: string;
  #planted = 0;

  constructor(count: number) {
    this.texts = plantedTexts(count);
    this.contact = this.next();
  }

  readonly next = (): string => {
    const text = this.texts[this.#planted];
    if (text === undefined) return 'nothing more';
    this.#planted += 1;
    return text;
  };

  get left(): number {
    return this.texts.length - this.#planted;
  }

  /** Plants the texts in runs and conversations, ended ones and running ones. */
  async fill(host: Host): Promise<void> {
    const { contact, next } = this;
    for (let run = 0; run < 3; run += 1) {
      const id = next();
      const input = { note: next(), list: [next()], more: { [next()]: next() } };
      await host.start('order', { id, contact, input: { input } });
      await host.settle();
      const { decisions } = await host.get(id);
      // The first run waits for its decision.
      if (run === 0) continue;
      const answer = { decision: 'approve', by: next(), comment: next() };
      await host.decide(`${id}/${decisions[0]!.id}`, answer);
      await host.settle();
      if (run === 1) await host.fork(id, { step: 3, id: next() });
      if (run === 1) await host.fork(id, { checkpoint: 'noted', id: next(), contact: next() });
      await host.settle();
    }
    const ended = next();
    const todos = [{ text: next() }];
    await host.start('intake', { id: ended, contact, lifecycleInput: { todos } });
    await host.settle();
    await host.cancel(ended, next());
    await host.settle();
    // Each message takes three texts: its own, its id, and the reply.
    while (this.left > 3) {
      await host.receive({ contact, text: next(), id: next() });
      await host.settle();
    }
    while (this.left > 0) await host.receive({ contact, text: next() });
    await host.settle();
  }
}
