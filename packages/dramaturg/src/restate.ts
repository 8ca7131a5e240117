import * as restate from '@dramaturg/restate';
import {
  behavioursWith,
  definitionOf,
  type Host,
  hosted,
  type HostedDefinition,
  type HostOptions,
  type InstanceEvent,
} from './host.ts';

export interface RestateHostOptions extends Omit<
  restate.RestateHostOptions,
  'definitions' | 'behaviours'
> {
  /** Compiled definitions, by the names that start them. */
  readonly definitions?: Readonly<Record<string, HostedDefinition>>;
  /** Formats of your own that definitions have. */
  readonly formats?: HostOptions['formats'];
}

/**
 * Runs durable instances of definitions on Restate. See docs/restate.md.
 *
 * @throws TypeError when a definition has errors; HostError `host/unknown-option`; HostError `host/bad-request` when Restate
 *   refuses the registration of the handlers
 *
 * @example
 * ```ts
 * const host = await restateHost({
 *   ingress: 'http://localhost:8080',
 *   admin: 'http://localhost:9070',
 *   handlers: { port: 9080 },
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const { id } = await host.start('intake', { contact: 'ada' });
 * console.log((await host.get(id)).definition.name); // → intake
 * await host.stop();
 * ```
 */
export async function restateHost({
  definitions = {},
  formats,
  ...options
}: RestateHostOptions): Promise<Host> {
  return restate.restateHost<InstanceEvent>({
    definitionOf,
    ...options,
    behaviours: behavioursWith(formats),
    definitions: Object.entries(definitions).map(([name, given]) =>
      hosted(name, given, options.channels),
    ),
  });
}
