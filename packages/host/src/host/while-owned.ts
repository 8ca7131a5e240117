import { type Port, type PortName, type Ports, portSchemas } from '@dramaturg/compiler';
import type { Channel } from '../channel/channel.ts';
import { rememberNothing } from '../memory/stores-memories.ts';
import type { Store } from '../store/contract.ts';
import { overriding } from '../store/overriding.ts';
import type { Ownership } from '../store/ownership.ts';
import type { HostOptions } from './options.ts';

/**
 * A store that refuses everything except `close` once another owner has it. Reads, too: answers of a host that has stopped
 * working look like those of the host that works.
 */
export function storeWhileOwned(store: Store): Store {
  const { ownership } = store;
  const methods = [...writes, ...reads].map((name) => {
    const method = store[name].bind(store) as Method;
    const guarded: Method = async (...given) => {
      ownership.lost.throwIfAborted();
      return method(...given);
    };
    return [name, guarded] as const;
  });
  return overriding(store, Object.fromEntries(methods));
}

const writes = ['create', 'commit', 'acknowledge', 'delete', 'compact', 'backup'] as const;
const reads = [
  'read',
  'list',
  'count',
  'due',
  'pending',
  'journal',
  'transcript',
  'feed',
  'damaged',
  'verify',
  'size',
] as const;

type Method = (...given: unknown[]) => Promise<unknown>;

/**
 * Ports and channels that act only while the host certainly owns its store: a host that was stalled must not send what the next
 * host has sent already. What has begun before the loss may happen twice, with the same key or id, as after a crash.
 */
export function actingWhileOwned(options: HostOptions, ownership: Ownership): HostOptions {
  const { ports, channels } = options;
  return {
    ...options,
    ...(ports && { ports: { ...ports, ...portsWhileOwned(ports, ownership) } }),
    ...(channels && {
      channels: Object.fromEntries(
        Object.entries(channels).map(([name, channel]) => [name, whileOwned(channel, ownership)]),
      ),
    }),
  };
}

function portsWhileOwned(ports: Partial<Ports>, ownership: Ownership): Partial<Ports> {
  const guarded = Object.entries(ports).flatMap(([name, given]) => {
    // What does nothing needs no owner, and the eraser recognises it.
    if (!Object.hasOwn(portSchemas, name) || given === rememberNothing) return [];
    const port = given as Port<PortName>;
    const own: Port<PortName> = (input, call) => {
      // The usual case does not wait, so that a port which computes is measured as one piece of work.
      if (ownership.isCertain()) return port(input, call);
      return ownership.confirm().then(() => {
        call.signal.throwIfAborted();
        return port(input, call);
      });
    };
    return [[name, own]];
  });
  return Object.fromEntries(guarded) as Partial<Ports>;
}

function whileOwned(channel: Channel, ownership: Ownership): Channel {
  return {
    ...(channel.contactKey && { contactKey: (written) => channel.contactKey!(written) }),
    deliver: async (message, options) => {
      if (!ownership.isCertain()) await ownership.confirm();
      // The attempt may be over: then the message is tried again.
      options.signal.throwIfAborted();
      await channel.deliver(message, options);
    },
  };
}
