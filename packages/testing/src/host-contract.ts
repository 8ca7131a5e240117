import { describe } from 'vitest';
import { agentTools } from './host-contract/agent-tools.ts';
import { boundedWork } from './host-contract/bounded-work.ts';
import { callEvents, workflows } from './host-contract/workflows.ts';
import { commands, endings } from './host-contract/commands.ts';
import { contacts, lines, messageData } from './host-contract/contacts.ts';
import { definitions } from './host-contract/definitions.ts';
import { deliveryReports, effects } from './host-contract/effects.ts';
import { failedTurns } from './host-contract/failed-turns.ts';
import { heartbeat } from './host-contract/heartbeat.ts';
import { eventCursors, readerPositions } from './host-contract/event-cursors.ts';
import { contactEvents, eventFeed } from './host-contract/event-feed.ts';
import { repeatedStarts, starting } from './host-contract/starting.ts';
import { firstMessages, nextReplies, turns } from './host-contract/turns.ts';
import { floods, limits } from './host-contract/limits.ts';
import { hostileInput, wrongArguments } from './host-contract/hostile-input.ts';
import { operators, views } from './host-contract/operators.ts';
import { order, waitingMessages } from './host-contract/order.ts';
import { factsOf, type HostContractOptions, type HostPlace } from './host-contract/stage.ts';
import { words } from './host-contract/words.ts';

/**
 * The chapters that depend on the store of a host. Another store needs only these, because all others are tested on a store in
 * memory.
 */
export const chaptersOfStores: readonly string[] = [
  'turns',
  'order',
  'heartbeat',
  'effects',
  'endings',
  'eventCursors',
  'eventFeed',
  'contactEvents',
  'readerPositions',
  'repeatedStarts',
  'words',
];

/**
 * Registers the tests that every host passes, on this machine or on a distributed engine: they do not depend on files, processes
 * or the time of day. The invariants H1 to H9 are in the names of the tests that prove them.
 *
 * @param makePlace makes a new, empty place; called once for each test
 */
export function hostContract(
  makePlace: () => HostPlace | Promise<HostPlace>,
  options: HostContractOptions,
): void {
  const { skip = [] } = options;
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])));
  const all = {
    turns,
    contacts,
    failedTurns,
    agentTools,
    order,
    waitingMessages,
    floods,
    lines,
    starting,
    commands,
    operators,
    heartbeat,
    effects,
    boundedWork,
    limits,
    callEvents,
    nextReplies,
    workflows,
    definitions,
    endings,
    hostileInput,
    views,
    eventCursors,
    eventFeed,
    contactEvents,
    readerPositions,
    repeatedStarts,
    firstMessages,
    messageData,
    deliveryReports,
    wrongArguments,
    words,
  };
  const { chapters = Object.keys(all) } = options;
  for (const [title, chapter] of Object.entries(all)) {
    if (!chapters.includes(title)) continue;
    // oxlint-disable-next-line vitest/valid-title -- The chapters are named once, above.
    describe(title, () => {
      chapter(factsOf(makePlace, options, reasons));
    });
  }
}
