import type { Ports } from '@dramaturg/compiler';
import type { HostEvent } from '../instance/event.ts';
import type { FamilyLetter } from '../instance/letter.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { Limits } from '../limits/index.ts';
import type { Store } from '../store/contract.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Deliveries } from './deliveries.ts';

/** What all runners of a host share. */
export interface RunnerServices {
  readonly store: Store;
  readonly ports: Partial<Ports>;
  readonly limits: Limits;
  readonly deliveries: Deliveries;
  readonly checkpoints: Checkpoints;
  /** Fulfils when the receiving instance has stored the effect of the letter. */
  readonly carryLetter: (sender: LiveInstance, letter: FamilyLetter) => Promise<void>;
  readonly now: () => number;
  readonly publish: (events: readonly HostEvent[]) => void;
  /** Receives parts of a reply while it is generated. For display only. */
  readonly onText: (instance: string, part: string, key: string) => void;
}
