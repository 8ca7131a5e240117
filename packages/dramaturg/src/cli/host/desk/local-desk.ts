import {
  type EventObject,
  hasErrors,
  isRecord,
  type Json,
  type JsonObject,
} from '@dramaturg/compiler';
import { compile } from '../../../compile.ts';
import { type Host, hosted } from '../../../host.ts';
import { kindOf } from '../../../known-formats.ts';
import { inputFor } from '../../conversation/session.ts';
import { UsageError } from '../../usage-error.ts';
import type { Desk } from './desk.ts';
import { backupStore } from './store-data.ts';
import { findByPrefix } from './find-by-prefix.ts';
import type { StartOrder } from '../transport/wire.ts';

interface LocalDeskOptions {
  /** How long `settle` waits for running work. */
  readonly settleTimeoutMs: number;
  readonly channels: readonly string[];
  /** The folder of the store. */
  readonly folder: string;
}

/** The desk of a host in this process. It owns the host: `close` stops it and releases the store. */
export class LocalDesk implements Desk {
  readonly isServed: boolean = false;
  readonly host: Host;
  readonly #settleTimeoutMs: number;
  readonly #folder: string;
  /** The names of the host's channels. */
  readonly channels: readonly string[];

  constructor(host: Host, { settleTimeoutMs, channels, folder }: LocalDeskOptions) {
    this.#folder = folder;
    this.channels = channels;
    this.host = host;
    this.#settleTimeoutMs = settleTimeoutMs;
  }

  readonly list: Desk['list'] = (filter, page) => this.host.list(filter, page);
  readonly find: Desk['find'] = (prefix) => findByPrefix(this.host, prefix);
  readonly get: Desk['get'] = (id) => this.host.get(id);
  readonly items: Desk['items'] = (id, filter, page) => this.host.items(id, filter, page);
  readonly transcript: Desk['transcript'] = (id, range) => this.host.transcript(id, range);
  readonly journal: Desk['journal'] = (id, range) => this.host.journal(id, range);
  readonly charts: Desk['charts'] = (id) => this.host.charts(id);
  readonly decisions: Desk['decisions'] = (filter, page) => this.host.decisions(filter, page);
  readonly decision: Desk['decision'] = (decision) => this.host.decision(decision);
  readonly decide: Desk['decide'] = (decision, given) => this.host.decide(decision, given);
  readonly checkpoints: Desk['checkpoints'] = (id) => this.host.checkpoints(id);
  readonly damaged: Desk['damaged'] = () => this.host.damaged();
  readonly send: Desk['send'] = (id, event: EventObject) => this.host.send(id, event);
  readonly receive: Desk['receive'] = (message) => this.host.receive(message);
  readonly fork: Desk['fork'] = (id, at) => this.host.fork(id, at);
  readonly pause: Desk['pause'] = (id) => this.host.pause(id);
  readonly resume: Desk['resume'] = (id) => this.host.resume(id);
  readonly cancel: Desk['cancel'] = (id, reason) => this.host.cancel(id, reason);
  readonly intervene: Desk['intervene'] = (id, text) => this.host.intervene(id, text);
  readonly export: Desk['export'] = (contact) => this.host.export({ contact });
  readonly verify: Desk['verify'] = (onProgress) => this.host.verify(onProgress);
  readonly erase: Desk['erase'] = (options) => this.host.erase(options);
  readonly backup: Desk['backup'] = (target) =>
    backupStore(this.#folder, target, (path) => this.host.backup(path));
  readonly settle: Desk['settle'] = () => this.host.settle({ within: this.#settleTimeoutMs });
  readonly close = () => this.host.stop({ within: 0 });

  readonly start: Desk['start'] = async (order) => {
    const { definition, id, contact, channel, by, input, lifecycleInput, needs = [] } = order;
    const name = this.#define(definition);
    const known = this.host.definitions;
    for (const each of needs) if (!known.includes(each.name)) this.#define(each);
    return this.host.start(name, {
      ...(id === undefined ? {} : { id }),
      ...(contact === undefined ? {} : { contact }),
      ...(channel === undefined ? {} : { channel }),
      input: await this.#inputFor(name, input, by),
      lifecycleInput: lifecycleInput ?? {},
      needs: needs.map((each) => each.name),
    });
  };

  /** Adds a definition that was sent with the order to the host. @returns its name */
  #define(given: StartOrder['definition']): string {
    if (typeof given === 'string') return given;
    const { name, text, fileName, format, options } = given;
    const compiled = compile(text, { fileName, format, options });
    if (hasErrors(compiled.diagnostics)) {
      throw new UsageError(
        `The definition "${name}" has errors.`,
        'Run "dramaturg check" to see them.',
      );
    }
    this.host.define(hosted(name, compiled));
    return name;
  }

  /** The input as it is written, in the form in which its format wants it: as `run` does. */
  async #inputFor(
    name: string,
    input: Json | undefined,
    by: string | undefined,
  ): Promise<JsonObject> {
    const { format } = await this.host.chart(name);
    if (kindOf(format) === 'workflow') {
      const context = { Execution: { Requestor: by ?? null } };
      return { input: input ?? {}, ...(by === undefined ? {} : { context }) };
    }
    if (input === undefined) return {};
    if (!isRecord(input)) {
      throw new UsageError(
        'The input is not a JSON object.',
        `Write it like this: --input '{"name": "value"}'.`,
      );
    }
    return inputFor(format, input);
  }
}
