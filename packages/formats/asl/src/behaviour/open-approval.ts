import type { EventObject } from '@dramaturg/compiler';
import { shortCode, type Question } from '@dramaturg/compiler/machine';
import { type Progress, visitOf, withVisit } from '../context.ts';
import type { Approval } from '../definition/index.ts';
import type { ApprovalProgram } from '../flow/approval.ts';
import type { ApprovalVisit, ApprovalWork } from '../flow/approval-work.ts';
import type { Reminder } from '../flow/reminders.ts';
import type { Run } from '../flow/run.ts';
import { callKey, visitKey } from './call-key.ts';
import { StateAtWork, type StateParams, type WorkflowScope } from './state-at-work.ts';

/** The open question of an Approval, as its actions see it. */
export class OpenApproval extends StateAtWork<ApprovalProgram> {
  readonly #params: StateParams;
  readonly #key: string;
  readonly #id: string;

  constructor(scope: WorkflowScope, params: StateParams) {
    super(scope, params);
    this.#params = params;
    this.#key = callKey(scope.context, params.machine, 'decision');
    const visit = visitKey(scope.context, params.machine);
    const { revisions } = this.work;
    // A changed question has a new id, so that an answer to the old question does not decide the new one.
    this.#id = shortCode(revisions === 0 ? visit : `${visit}/changed/${revisions}`);
  }

  get definition(): Approval {
    return this.program.state as Approval;
  }

  get flow() {
    return this.program.approval;
  }

  get work(): ApprovalWork {
    return visitOf<ApprovalVisit>(this.progress).approval!;
  }

  get question(): Question {
    const { timeoutAt } = visitOf<ApprovalVisit>(this.progress);
    return {
      key: `${this.#key}/${this.work.timesAsked}`,
      id: this.#id,
      ...this.flow.question(this.work, this.edited.input, timeoutAt),
    };
  }

  /** The run with all edits so far. */
  get edited(): Run {
    return this.flow.edited(this.run(this.progress), this.work);
  }

  get requestedEvent(): EventObject {
    const { timeoutAt } = visitOf<ApprovalVisit>(this.progress);
    return {
      type: 'decision.requested',
      ...this.identity(),
      prompt: this.work.prompt,
      ...(this.work.details && { details: this.work.details }),
      options: this.definition.Options,
      ...(timeoutAt !== undefined && { until: new Date(timeoutAt).toISOString() }),
    };
  }

  /** The reminders that were not emitted yet. */
  get pendingReminders(): readonly Reminder[] {
    return this.flow.reminders.slice(this.work.remindersEmitted);
  }

  /** The fields that name the question in events. */
  identity(): { readonly state: string; readonly id: string } {
    return { ...this.where(), id: this.#id };
  }

  /** The same question after a change. */
  changed(work: Partial<ApprovalWork>): OpenApproval {
    const approval = { ...this.work, ...work };
    const progress = withVisit<ApprovalVisit>(this.progress, { approval });
    return openApproval(this.scope, this.#params, progress);
  }

  change(work: Partial<ApprovalWork>, emit: readonly EventObject[] = []) {
    return this.effects(this.changed(work).progress, emit);
  }
}

/** @param progress of the machine, in place of the one in the context */
export function openApproval(
  scope: WorkflowScope,
  params: StateParams,
  progress: Progress,
): OpenApproval {
  const context = { ...scope.context, [params.machine]: progress };
  return new OpenApproval({ ...scope, context }, params);
}
