import type { WrittenContact } from '../contact.ts';
import type { QueueName } from '../instance/attention.ts';

/** Selects instances. All given fields have to match. */
export interface InstanceFilter extends Partial<WrittenContact> {
  readonly state?: string;
  readonly ended?: boolean;
  /** The name of the definition. */
  readonly definition?: string;
  /** The instance that has called the listed ones as agents. */
  readonly parent?: string;
  /** Whether decisions of people are open. */
  readonly asks?: boolean;
  /** The queue of people's work. Its instances are listed the longest waiting first. */
  readonly queue?: QueueName;
  /** The person who has taken the instance over, also when the claim has expired. */
  readonly owner?: string;
}
