import type { Channel } from '../channel/channel.ts';
import type { Library } from '../definitions/library.ts';
import type { StepWorld } from '../instance/step-world.ts';
import type { Surroundings } from '../instance/surroundings.ts';
import type { InboxLimits } from '../limits/index.ts';
import type { Store } from '../store/contract.ts';
import type { HostOptions } from './options.ts';

/** The parts of a host that its instances see. */
export function surroundingsOf(
  store: Store,
  { ports = {}, definitionOf }: Pick<HostOptions, 'ports' | 'definitionOf'>,
  {
    world,
    library,
    channels,
    inboxLimits,
  }: {
    readonly world: StepWorld;
    readonly library: Library;
    readonly channels: ReadonlyMap<string, Channel>;
    readonly inboxLimits: InboxLimits;
  },
): Surroundings {
  return {
    world,
    inboxLimits,
    readTranscript: (id, range) => store.transcript(id, range),
    isWaitedFor: (port) =>
      port === 'timer' || (port === 'requestDecision' && !ports.requestDecision),
    definitionOf: (agent) => {
      const name = definitionOf?.(agent);
      return name !== undefined && library.has(name) ? name : undefined;
    },
    hasChannel: (name) => channels.has(name),
  };
}
