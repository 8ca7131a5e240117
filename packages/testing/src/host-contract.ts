import { describe } from 'vitest';
import { agentTools } from './host-contract/agent-tools.ts';
import { boundedWork } from './host-contract/bounded-work.ts';
import { callEvents } from './host-contract/call-events.ts';
import { commands } from './host-contract/commands.ts';
import { contacts } from './host-contract/contacts.ts';
import { definitions } from './host-contract/definitions.ts';
import { effects } from './host-contract/effects.ts';
import { deliveryReports } from './host-contract/delivery-reports.ts';
import { endings } from './host-contract/endings.ts';
import { failedTurns } from './host-contract/failed-turns.ts';
import { heartbeat } from './host-contract/heartbeat.ts';
import { eventCursors } from './host-contract/event-cursors.ts';
import { contactEvents, eventFeed } from './host-contract/event-feed.ts';
import { readerPositions } from './host-contract/reader-positions.ts';
import { repeatedStarts } from './host-contract/repeated-starts.ts';
import { firstMessages } from './host-contract/first-messages.ts';
import { floods } from './host-contract/floods.ts';
import { hostileInput } from './host-contract/hostile-input.ts';
import { limits } from './host-contract/limits.ts';
import { lines } from './host-contract/lines.ts';
import { messageData } from './host-contract/message-data.ts';
import { nextReplies } from './host-contract/next-replies.ts';
import { operators } from './host-contract/operators.ts';
import { order } from './host-contract/order.ts';
import { factsOf, type HostContractOptions, type HostPlace } from './host-contract/stage.ts';
import { starting } from './host-contract/starting.ts';
import { turns } from './host-contract/turns.ts';
import { views } from './host-contract/views.ts';
import { waitingMessages } from './host-contract/waiting-messages.ts';
import { words } from './host-contract/words.ts';
import { workflows } from './host-contract/workflows.ts';
import { wrongArguments } from './host-contract/wrong-arguments.ts';

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
