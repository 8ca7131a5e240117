import type { AttachmentFiles } from '../attachments/attachment-files.ts';
import type { PortName, Ports } from '@dramaturg/compiler';
import type { ReplyParts } from './reply-parts.ts';
import type { Activity } from '../admission/activity.ts';
import type { Schedule } from '../admission/schedule.ts';
import type { HostEvent } from '../instance/event.ts';
import type { FamilyLetter } from '../instance/letter.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import type { StepResult } from '../instance/step-result.ts';
import type { InboxLimits, Limits } from '../limits/index.ts';
import type { Store } from '../store/contract.ts';
import type { CallLanes } from './call-lanes.ts';
import type { ChannelLanes } from './channel-lane.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { LoopMonitor } from './loop-monitor.ts';
import type { Quarantine } from './quarantine.ts';

/** The services that all runners of a host share. */
export interface RunnerServices {
  readonly store: Store;
  readonly ports: Partial<Ports>;
  readonly limits: Limits;
  readonly inboxLimits: InboxLimits;
  /** Milliseconds after which a call is aborted; `Infinity` never. */
  readonly callTimeoutOf: (port: PortName) => number;
  /** The files that people have sent. */
  readonly files: AttachmentFiles | undefined;
  readonly callLaneOf: CallLanes;
  readonly channelLaneOf: ChannelLanes;
  readonly checkpoints: Checkpoints;
  /** Fulfils when the receiving instance has stored the effect of the letter. */
  readonly carryLetter: (sender: LiveInstance, letter: FamilyLetter) => Promise<void>;
  readonly monitor: LoopMonitor;
  readonly nextTurn: () => Promise<void>;
  readonly quarantine: Quarantine;
  readonly schedule: Schedule;
  readonly activity: Activity;
  /** Gives stored events of an instance to subscribers. */
  readonly publish: (instance: string, events: readonly HostEvent[]) => void;
  readonly replyParts: ReplyParts;
  /** Runs a step of an instance that may not be active any more. It is lost if the process ends. */
  readonly stepLater: (
    instance: string,
    decide: (instance: LiveInstance) => Promise<StepResult>,
  ) => void;
  /** Says why no instance may run more items of lists now. */
  readonly refusalOfItems: () => string | undefined;
}
