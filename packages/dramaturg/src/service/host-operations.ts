import { type EventObject, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { HostError, type HostEvent } from '@dramaturg/host';
import type { ChannelHandlers } from '@dramaturg/service';
import {
  type DefinitionFile,
  type DefinitionSummary,
  RequestError,
  type ServedOperations,
  type StartOrder,
} from '@dramaturg/service/client';
import type { Host } from '../host.ts';
import { kindOf } from '../known-formats.ts';
import { inputFor } from '../form-input.ts';
import { findByPrefix } from './find-by-prefix.ts';
import { compileBeside } from './compile-beside.ts';
import { hostedFile } from './hosted-file.ts';

export interface HostOperationsOptions {
  /** The names of the host's channels. */
  readonly channels: readonly string[];
  /** The channels that answer requests. */
  readonly channelHandlers?: ChannelHandlers | undefined;
  /** Copies the store to a path. */
  readonly backup?: (target: string) => Promise<void>;
}

/** The operations of a host in this process. */
export class HostOperations implements ServedOperations {
  readonly host: Host;
  readonly channels: readonly string[];
  readonly channelHandlers: ChannelHandlers | undefined;
  readonly backup: ServedOperations['backup'];

  constructor(host: Host, { channels, channelHandlers, backup }: HostOperationsOptions) {
    this.host = host;
    this.channels = channels;
    this.channelHandlers = channelHandlers;
    this.backup = backup ?? ((target) => host.backup(target));
  }

  readonly list: ServedOperations['list'] = (filter, page) => this.host.list(filter, page);
  readonly find: ServedOperations['find'] = (prefix) => findByPrefix(this.host, prefix);
  readonly queues: ServedOperations['queues'] = () => this.host.queues();
  readonly inbox: ServedOperations['inbox'] = (filter, page) => this.host.inbox(filter, page);
  readonly acts: ServedOperations['acts'] = (filter, page) => this.host.acts(filter, page);
  readonly get: ServedOperations['get'] = (id) => this.host.get(id);
  readonly items: ServedOperations['items'] = (id, filter, page) =>
    this.host.items(id, filter, page);
  readonly transcript: ServedOperations['transcript'] = (id, range) =>
    this.host.transcript(id, range);
  readonly journal: ServedOperations['journal'] = (id, range) => this.host.journal(id, range);
  readonly charts: ServedOperations['charts'] = (id) => this.host.charts(id);
  readonly decisions: ServedOperations['decisions'] = (filter, page) =>
    this.host.decisions(filter, page);
  readonly decision: ServedOperations['decision'] = (decision) => this.host.decision(decision);
  readonly decide: ServedOperations['decide'] = (decision, given) =>
    this.host.decide(decision, given);
  readonly checkpoints: ServedOperations['checkpoints'] = (id) => this.host.checkpoints(id);
  readonly damaged: ServedOperations['damaged'] = () => this.host.damaged();
  readonly send: ServedOperations['send'] = (id, event: EventObject) => this.host.send(id, event);
  readonly fork: ServedOperations['fork'] = (id, at) => this.host.fork(id, at);
  readonly pause: ServedOperations['pause'] = (id, act) => this.host.pause(id, act);
  readonly resume: ServedOperations['resume'] = (id, act) => this.host.resume(id, act);
  readonly cancel: ServedOperations['cancel'] = (id, reason, act) =>
    this.host.cancel(id, reason, act);
  readonly intervene: ServedOperations['intervene'] = (id, text, act) =>
    this.host.intervene(id, text, act);
  readonly takeOver: ServedOperations['takeOver'] = async (id, { by, ...options }) =>
    this.host.takeOver(id, { ...options, by: named(by) });
  readonly renewClaim: ServedOperations['renewClaim'] = async (id, { by }) =>
    this.host.renewClaim(id, { by: named(by) });
  readonly handBack: ServedOperations['handBack'] = (id, act) => this.host.handBack(id, act);
  readonly addNote: ServedOperations['addNote'] = async (id, text, { by }) =>
    this.host.addNote(id, named(by), text);
  readonly draft: ServedOperations['draft'] = async (id, { by, ...options }) =>
    this.host.draft(id, { ...options, by: named(by) });
  readonly assess: ServedOperations['assess'] = async (file, map, page) =>
    this.host.assess(await hostedFile(file), map, page);
  readonly migrate: ServedOperations['migrate'] = async (id, options) =>
    this.host.migrate(id, options);
  readonly undoMigration: ServedOperations['undoMigration'] = async (id) =>
    this.host.undoMigration(id);
  readonly export: ServedOperations['export'] = (given) => this.host.export(given);
  readonly verify: ServedOperations['verify'] = (onProgress) => this.host.verify(onProgress);
  readonly erase: ServedOperations['erase'] = (options) => this.host.erase(options);
  readonly events: ServedOperations['events'] = (filter) =>
    this.host.events(filter) as AsyncIterable<object> as AsyncIterable<HostEvent>;

  readonly reportDelivery: ServedOperations['reportDelivery'] = (report) =>
    this.host.reportDelivery(report);

  readonly cursor: ServedOperations['cursor'] = async (filter) => {
    try {
      return await this.host.cursor(filter);
    } catch (error) {
      // Restate has no order of the events of all instances.
      if (error instanceof HostError && error.code === 'host/bad-request') return undefined;
      throw error;
    }
  };

  readonly receive: ServedOperations['receive'] = async (
    { contact, channel, text, id, data, orStart },
    { traceparent } = {},
  ) =>
    this.host.receive({
      contact,
      channel,
      text,
      ...(traceparent !== undefined && { traceparent }),
      ...(id !== undefined && { id }),
      ...(data !== undefined && { data }),
      ...(orStart && { orStart: await this.#firstConversation(orStart) }),
    });

  async #firstConversation({
    definition,
    id,
    channel,
    input,
    lifecycleInput = {},
  }: NonNullable<Parameters<ServedOperations['receive']>[0]['orStart']>) {
    return {
      definition,
      ...(id !== undefined && { id }),
      ...(channel !== undefined && { channel }),
      input: await this.#inputFor(definition, input, undefined),
      lifecycleInput,
    };
  }

  readonly start: ServedOperations['start'] = async (order, { traceparent } = {}) => {
    const { definition, id, once, contact, channel, by, input, lifecycleInput } = order;
    const { needs = [] } = order;
    const name = typeof definition === 'string' ? definition : await this.#define(definition);
    const known = this.host.definitions;
    for (const each of needs) if (!known.includes(each.name)) await this.#define(each);
    return this.host.start(name, {
      ...(id === undefined ? {} : { id }),
      ...(once === undefined ? {} : { once }),
      ...(contact === undefined ? {} : { contact }),
      ...(channel === undefined ? {} : { channel }),
      input: await this.#inputFor(name, input, by),
      lifecycleInput: lifecycleInput ?? {},
      ...(traceparent !== undefined && { traceparent }),
      needs: needs.map((each) => each.name),
    });
  };

  readonly definitions: ServedOperations['definitions'] = () =>
    Promise.all(this.host.definitions.map((name) => this.#summaryOf(name)));

  readonly check: ServedOperations['check'] = async (file) =>
    (await compileBeside({ ...file, checkOnly: true })).diagnostics;

  readonly define: ServedOperations['define'] = async (file) =>
    this.#summaryOf(await this.#define(file));

  async #summaryOf(name: string): Promise<DefinitionSummary> {
    return { name, format: (await this.host.chart(name)).format };
  }

  /** Adds a definition to the host. @returns its name */
  async #define(file: DefinitionFile): Promise<string> {
    this.host.define(await hostedFile(file));
    return file.name;
  }

  /** The input as it is written, in the form in which its format wants it: as `run` does. */
  async #inputFor(
    name: string,
    input: Json | undefined,
    by: StartOrder['by'],
  ): Promise<JsonObject> {
    const { format } = await this.host.chart(name);
    if (kindOf(format) === 'workflow') {
      const context = { Execution: { Requestor: by ?? null } };
      return { input: input ?? {}, ...(by === undefined ? {} : { context }) };
    }
    if (input === undefined) return {};
    if (!isRecord(input)) {
      throw new RequestError('request/refused', 'The input is not a JSON object.', {
        hint: `Write it like this: --input '{"name": "value"}'.`,
      });
    }
    return inputFor(format, input);
  }
}

/** Where no token says who acts, the person does. */
function named(by: string | undefined): string {
  if (by !== undefined) return by;
  throw new HostError(
    'host/bad-request',
    'The act needs the name of the person: "by", or --as in a command.',
  );
}
