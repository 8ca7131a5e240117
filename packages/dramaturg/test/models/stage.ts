import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type JsonObject, listen } from '@dramaturg/compiler';
import { type ChatRequest, type ModelAnswer, modelServer } from '@dramaturg/langchain/testing';
import {
  compile,
  type Compiled,
  type Ports,
  providePorts,
  realClock,
  type SpokenLine,
} from 'dramaturg';
import { langchainPorts, type LangchainOptions, type LangchainPorts } from '@dramaturg/langchain';
import { onTestFinished } from 'vitest';
import { type AnyActor, createActor, type EventObject, waitFor } from 'xstate';

/** A request to a model, in terms of the ports. */
export interface Asked {
  readonly request: ChatRequest;
  /** The person's new message, when the model judges it. */
  readonly said: string;
  /** The system message and all others. */
  readonly prompt: string;
  /** The ids of the options, if the model must choose. */
  readonly options: readonly string[] | undefined;
  /** The schema, if the model must fill one. */
  readonly schema: ChatRequest['tools'] | object | undefined;
}

/** Answers by the content of a request, and not by the number of requests. */
export type Brain = (asked: Asked) => ModelAnswer;

export interface Stage {
  readonly ports: LangchainPorts;
  readonly server: Awaited<ReturnType<typeof modelServer>>;
}

/** Ports that use the real client of LangChain and a local server with these answers. */
export async function stageWith(
  brain: Brain,
  options: Partial<LangchainOptions> = {},
): Promise<Stage> {
  const server = await modelServer((request) => brain(askedIn(request)));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const ports = langchainPorts({
    model: 'openai:test-model',
    // Not as `baseUrl`: the requests are those that OpenAI gets.
    modelOptions: { apiKey: 'key-of-the-test-server', configuration: { baseURL: server.baseUrl } },
    retryDelay: 5,
    ...options,
  });
  return { ports, server };
}

function askedIn(request: ChatRequest): Asked {
  const format = request.response_format?.json_schema?.schema;
  const answer = request.tools?.find((tool) => tool.function.name === 'answer');
  const schema = format ?? answer?.function.parameters;
  const { properties = {} } = (schema ?? {}) as { readonly properties?: object };
  const prompt = request.messages.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
  const options = 'option' in properties ? optionsIn(prompt) : undefined;
  return { request, prompt, said: saidIn(prompt), options, schema };
}

/** The ids of the options that a prompt lists. */
export function optionsIn(prompt: string): string[] {
  const [, list = ''] = /# The options\n((?:- .*\n?)+)/.exec(prompt) ?? [];
  return Array.from(
    list.matchAll(/^- ("(?:[^"\\]|\\.)*")/gm),
    ([, id]) => JSON.parse(id!) as string,
  );
}

/** The last line of the conversation that is judged. */
function saidIn(prompt: string): string {
  const [conversation = '', judged] = prompt.split(
    /\n\n<\/data-[0-9a-f]{8}>\n\nThe last line of the person/,
  );
  if (judged === undefined) return '';
  const [said = ''] = conversation
    .slice(conversation.lastIndexOf('\nperson: ') + '\nperson: '.length)
    // Thoughts may come after it.
    .split(/\n\n(?! )/);
  return said.replaceAll('\n    ', '\n');
}

/** An answer in the output mode of the request. */
export function answering({ request }: Asked, value: object): ModelAnswer {
  return request.response_format === undefined && request.tools !== undefined
    ? { toolCalls: [{ name: 'answer', arguments: value }] }
    : { text: JSON.stringify(value) };
}

const fixtures = '../../../formats';
const docs = '../../../../docs/examples';

/** A definition of the documentation, or a fixture of a format. */
export function definition(path: string, options: JsonObject = {}): Compiled {
  const folder = path.includes('/') ? fixtures : docs;
  const file = fileURLToPath(new URL(`${folder}/${path}`, import.meta.url));
  const compiled = compile(readFileSync(file, 'utf8'), { fileName: file, options });
  if (!compiled.machine) throw new Error(JSON.stringify(compiled.diagnostics));
  return compiled;
}

export interface Heard {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Plays a conversation in memory until all lines are sent or it has ended. */
export async function converse(
  { machine }: Compiled,
  ports: Partial<Ports>,
  lines: readonly string[],
  input: object = {},
): Promise<{ readonly events: readonly Heard[]; readonly output: unknown }> {
  const said: SpokenLine[] = [];
  const events: Heard[] = [];
  const all = { timer: realClock().timer, ...ports };
  const actor: AnyActor = createActor(providePorts(machine!, all, { transcript: () => said }), {
    input,
    ...listen((event) => events.push(event)),
  });
  actor.on('message.sent', (event: EventObject) => {
    said.push({ role: 'agent', text: String((event as Heard)['text']) });
  });
  actor.subscribe({ error: () => {} });
  actor.start();
  for (const text of lines) {
    if (!(await isWaiting(actor))) break;
    said.push({ role: 'contact', text });
    actor.send({ type: 'message.received', text } as never);
  }
  await isWaiting(actor);
  const { output } = actor.getSnapshot() as { readonly output?: unknown };
  actor.stop();
  return { events, output };
}

async function isWaiting(actor: AnyActor): Promise<boolean> {
  const { status, error } = await waitFor(
    actor,
    (snapshot) => snapshot.status !== 'active' || snapshot.hasTag('waiting'),
  );
  if (status === 'error') throw error;
  return status === 'active';
}
