import {
  type Port,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  portSchemas,
} from '@dramaturg/compiler';
import type { Step } from './transcript.ts';

interface OpenCall {
  readonly port: string;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Port calls that wait for a line of the transcript. A call repeated after a restore has the key of the first one. */
export class OpenCalls {
  readonly #lines: string[];
  readonly #open = new Map<string, OpenCall>();

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  readonly ports = Object.fromEntries(
    (Object.keys(portSchemas) as PortName[]).map((name) => [name, this.#port(name)]),
  ) as unknown as Ports;

  #port<Name extends PortName>(name: Name): Port<Name> {
    return (input) =>
      new Promise<PortOutput<Name>>((resolve, reject) => {
        const id = `${name} ${input.key}`;
        if (!this.#open.has(id)) this.#lines.push(describeCall(name, input));
        this.#open.set(id, { port: name, resolve, reject });
      });
  }

  /** Answers the oldest open call of a port, or lets it fail; a line says so when there is none. */
  feed(step: Step): void {
    if (step.kind === 'failure') this.#take(step.port)?.reject(new Error(step.message));
    else if (step.kind === 'answer') this.#take(step.port)?.resolve(answerOf(step));
  }

  #take(port: string): OpenCall | undefined {
    for (const [id, call] of this.#open) {
      if (call.port !== port) continue;
      this.#open.delete(id);
      return call;
    }
    this.#lines.push(`no open call of ${port}`);
    return undefined;
  }
}

/** What a port is asked, in one line. */
function describeCall<Name extends PortName>(name: Name, input: PortInput<Name>): string {
  if (name === 'reply') {
    const { asks, directions } = input as PortInput<'reply'>;
    const parts = [
      asks.length > 0 ? `asks ${asks.map((ask) => ask.name).join(', ')}` : '',
      ...directions.map(({ text }) => `does ${JSON.stringify(text)}`),
    ].filter(Boolean);
    return `? reply ${parts.join('; ') || 'is free'}`;
  }
  if (name === 'extract') return `? extract ${wantedOf((input as PortInput<'extract'>).schema)}`;
  if (name === 'choose')
    return `? choose ${(input as PortInput<'choose'>).options.map(({ id }) => id).join(', ')}`;
  return `? ${name}`;
}

/** The names of the values that a schema asks for: those that count now, then those that count later. */
function wantedOf(schema: Schema): string {
  const leaves = leavesOf(schema);
  const names = (isLater: boolean) =>
    leaves.flatMap(([name, leaf]) => ((leaf['x-later'] === true) === isLater ? [name] : []));
  const later = names(true);
  return `${names(false).join(', ')}${later.length === 0 ? '' : `; later ${later.join(', ')}`}`;
}

type Schema = PortInput<'extract'>['schema'];

/** The values a schema asks for, those of nested objects instead of the objects. */
function leavesOf(schema: Schema): [name: string, leaf: Schema][] {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  return Object.entries(properties).flatMap(([name, child]): [string, Schema][] =>
    child['type'] === 'object' ? leavesOf(child) : [[name, child]],
  );
}

/** The answer as the port gives it: a reply may be written as its text alone. */
export function answerOf({ port, answer }: Step & { kind: 'answer' }): never {
  if (port === 'reply' && typeof answer === 'string') return { text: answer } as never;
  if (port === 'extract' && !(answer !== null && typeof answer === 'object' && 'value' in answer))
    return { value: answer } as never;
  return answer as never;
}
