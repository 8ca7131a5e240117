import {
  type Decision,
  isRecord,
  type Json,
  type JsonObject,
  type Question,
} from '@dramaturg/compiler';
import { compileCondition } from '../data/choice/index.ts';
import { isSame } from '../data/intrinsic/same.ts';
import { compilePath, readPath } from '../data/path/read.ts';
import { compileWrite } from '../data/path/write.ts';
import { StatesError } from '../data/states-error.ts';
import { compileTemplate } from '../data/template.ts';
import { type Approval, approvingOption, type Dialect } from '../definition/index.ts';
import { approvedOf, type BatchWork, itemsIn, leastOf, leftOf, sortedOut } from './batch.ts';
import { withEdits } from './edits.ts';
import { compileOptionalGiven } from './given.ts';
import { evaluation } from './jsonpath-flow.ts';
import { type Reminder, remindersOf } from './reminders.ts';
import type { Run } from './run.ts';

/** What an Approval keeps in mind while it waits. */
export interface ApprovalWork extends BatchWork {
  readonly prompt: string;
  /** Milliseconds since 1970 UTC: what reminders are measured from. */
  readonly askedAt: number;
  /** Who may not decide because it is their own request. */
  readonly requestor?: string;
  /** How often it was asked. */
  readonly asked: number;
  /** How many of its reminders have been told. */
  readonly told: number;
  /** Approvals so far, where several are required. */
  readonly approvals: readonly Approved[];
  /** What has been edited so far. */
  readonly edited?: Json;
  /** How often an approval has left another question than it was given to. */
  readonly changed: number;
  /** Its time was up once, and it has waited as long again. */
  readonly extended?: true;
  /** What has been decided. */
  readonly decision?: Decision;
}

type Approved = {
  readonly approver: string;
  readonly timestamp: string;
  readonly comment?: string;
};

/** What is asked of a person, and what becomes of the answer. Spec: Agent 2 §Approval State, Agent 6 */
export interface ApprovalFlow {
  readonly reminders: readonly Reminder[];
  /** What the state begins with. */
  readonly begin: (run: Run, selected: Json) => ApprovalWork;
  /** What is asked of the data. */
  readonly ask: (run: Run, selected: Json) => Pick<ApprovalWork, 'prompt' | 'items'>;
  /** The run with its input as it has been edited so far: what the next person is asked about. */
  readonly edited: (run: Run, work: ApprovalWork) => Run;
  /**
   * @param data as they have been edited so far
   * @param until when it is too late, in milliseconds since 1970 UTC
   */
  readonly question: (
    work: ApprovalWork,
    data: Json,
    until?: number,
  ) => Omit<Question, 'key' | 'id'>;
  /** Another has to approve as well. */
  readonly needsAnother: (run: Run, work: ApprovalWork, decision: Decision) => boolean;
  /** One more approval, of those that are required. */
  readonly collect: (run: Run, work: ApprovalWork, decision: Decision) => ApprovalWork;
  /** What a decision edits comes to what has been edited before. */
  readonly edit: (work: ApprovalWork, decision: Decision) => ApprovalWork;
  /** What is stored of a decision. Agent 6 §Result */
  readonly record: (work: ApprovalWork, moment: number) => JsonObject;
  /** The state's data with the decision, and with what was edited. */
  readonly store: (run: Run, record: JsonObject, edited: Json | undefined) => Json;
  /** The first rule that holds; undefined when none does. */
  readonly choose: (run: Run, output: Json, decision: string) => number | undefined;
  /** What is told with a reminder. */
  readonly text: (run: Run, selected: Json, message: string) => string;
}

export function compileApproval(state: Approval, dialect: Dialect): ApprovalFlow {
  const { Policy: policy, Batch: batch, Editable: editable } = state;
  const required = policy?.RequiredApprovals ?? 1;
  const approves = approvingOption(state);
  const rules = state.Choices.map(({ condition }) => compileCondition(condition!, dialect));
  const prompt = compilePrompt(state, dialect);
  const readItems = batch && compilePath(batch.ItemsPath);
  const reminders = remindersOf(state);
  const ask: ApprovalFlow['ask'] = (run, selected) => ({
    prompt: prompt(run, selected),
    ...(readItems && { items: itemsIn(readItems(evaluation(run, selected))) }),
  });
  const fields = editable?.Fields ?? [];
  /** A decision edits what is asked: what others have approved is no longer that. */
  const changes = ({ input }: Run, work: ApprovalWork, decision: Decision) => {
    if (decision.edited === undefined) return false;
    const before = withEdits(input, fields, work.edited);
    return !isSame(before, withEdits(before, fields, decision.edited));
  };
  const edit: ApprovalFlow['edit'] = (work, { edited: more }) => {
    if (more === undefined) return work;
    const { edited } = work;
    return { ...work, edited: edited === undefined ? more : withEdits(edited, fields, more) };
  };
  return {
    reminders,
    ask,
    begin: (run, selected) => ({
      ...ask(run, selected),
      askedAt: run.world.now(),
      ...(policy?.ExcludeRequestor && { requestor: requestorOf(run) }),
      asked: 0,
      told: 0,
      approvals: [],
      changed: 0,
    }),
    question: (work, data, until) => ({
      prompt: work.prompt,
      options: state.Options.map((option) => ({ id: option, description: option })),
      data,
      ...(editable && { editable: [...editable.Fields] }),
      ...whoMayDecide(state, work, reminders.slice(0, work.told)),
      ...(policy?.RequireReason && { isExplained: true }),
      ...(batch &&
        work.items && {
          batch: {
            items: leftOf(work).map((index) => work.items![index]!),
            approves,
            isDivisible: batch.AllowPartial,
            least: leastOf(batch.MinApproved, work.items.length),
          },
        }),
      ...(until !== undefined && { until }),
    }),
    needsAnother(run, work, decision) {
      const before = changes(run, work, decision) ? 0 : work.approvals.length;
      return decision.decision === approves && before + 1 < required;
    },
    collect(run, work, decision) {
      const isEdited = changes(run, work, decision);
      const before = isEdited ? [] : work.approvals;
      const left = approvedOf(work, decision);
      const isNarrowed = left.length < leftOf(work).length;
      return {
        ...edit(work, decision),
        asked: work.asked + 1,
        approvals: [...before, approvedBy(decision, run.world.now())],
        ...(isNarrowed && { left }),
        changed: work.changed + (isEdited || isNarrowed ? 1 : 0),
      };
    },
    edit,
    edited: (run, { edited }) => ({ ...run, input: withEdits(run.input, fields, edited) }),
    record(work, moment) {
      const decision = work.decision!;
      const isApproved = decision.decision === approves;
      const { approver, timestamp, ...said } = approvedBy(decision, moment);
      return {
        approval: decision.decision,
        approver,
        timestamp,
        prompt: work.prompt,
        ...said,
        ...(required > 1 && {
          approvals: isApproved
            ? [...work.approvals, approvedBy(decision, moment)]
            : [...work.approvals],
        }),
        ...(work.items && sortedOut(work.items, isApproved ? approvedOf(work, decision) : [])),
      };
    },
    store(run, record, edited) {
      const input =
        editable && edited !== undefined
          ? compileWrite(editable.ResultPath)(run.input, edited)
          : run.input;
      const { ResultPath: path } = state;
      if (path === null) return input;
      if (path !== undefined) return path === '$' ? record : compileWrite(path)(input, record);
      return isRecord(input) ? { ...withoutRecord(input), ...record } : record;
    },
    choose(run, output, decision) {
      // The language's own page tests `$.approval`, shipped workflows test `$.approval.approval` where it is stored
      // under that name: both are this decision, whatever an earlier one has left in the data.
      const rule = rules.findIndex((holds) => holds(evaluation(run, output, decision)));
      return rule >= 0 ? rule : undefined;
    },
    text: (run, selected, message) => filled(message, run, selected),
  };
}

/** What an earlier record has left would be read as part of this one: a comment that nobody has made now. */
function withoutRecord(input: JsonObject): JsonObject {
  if (!partsOfEachRecord.every((field) => Object.hasOwn(input, field))) return input;
  const kept = Object.entries(input).filter(([field]) => !partsOfSomeRecords.has(field));
  return Object.fromEntries(kept);
}

const partsOfEachRecord = ['approval', 'approver', 'timestamp', 'prompt'];

const partsOfSomeRecords: ReadonlySet<string> = new Set([
  'comment',
  'approvals',
  'approved',
  'rejected',
  'approvalRate',
]);

function approvedBy({ by, comment }: Decision, moment: number): Approved {
  return {
    approver: by ?? 'user',
    timestamp: new Date(moment).toISOString(),
    ...(comment !== undefined && { comment }),
  };
}

/** Who the policy lets decide, and from some step of the escalation on somebody else as well. Agent 6 §Policy */
function whoMayDecide(
  { Policy: policy }: Approval,
  { requestor, approvals }: ApprovalWork,
  told: readonly Reminder[],
): Pick<Question, 'approvers' | 'excluded' | 'isNamed'> {
  if (!policy) return {};
  const { Approvers: approvers, RequiredApprovals: required } = policy;
  const more = told.flatMap(({ to }) => (to === undefined ? [] : [to]));
  const excluded = [
    ...(requestor === undefined ? [] : [{ name: requestor, because: 'has requested it' }]),
    ...approvals.map(({ approver }) => ({ name: approver, because: 'has approved it already' })),
  ];
  const isNamed = approvers !== undefined || requestor !== undefined || required > 1;
  return {
    ...(approvers && {
      approvers: {
        users: [...approvers.users, ...more],
        roles: [...approvers.roles, ...more],
      },
    }),
    ...(excluded.length > 0 && { excluded }),
    ...(isNamed && { isNamed }),
  };
}

/** Whoever has started the run says who they are. Agent 6 §Policy */
function requestorOf(run: Run): string {
  const { Execution: execution } = run.context();
  const requestor = isRecord(execution) ? execution['Requestor'] : undefined;
  if (typeof requestor === 'string' && requestor.trim() !== '') return requestor;
  throw new StatesError(
    'States.ValidationError',
    'The policy excludes whoever has requested this, and nobody has said who that is: start the run with "context": { "Execution": { "Requestor": "ana" } }, or in the terminal with --by ana.',
  );
}

/** `{{$.path}}` within a text. Agent 6 §Prompts */
const hole = /\{\{\s*(\$[^{}]*?)\s*\}\}/g;

function filled(text: string, run: Run, selected: Json): string {
  return text.replace(hole, (written, path: string) => {
    const found = readPath(path, evaluation(run, selected));
    return found.found ? textOf(found.value) : written;
  });
}

function compilePrompt(state: Approval, dialect: Dialect): (run: Run, selected: Json) => string {
  const prompt = compileOptionalGiven(state.Prompt, dialect, 'Prompt');
  if (!prompt || !state.Prompt) return () => '';
  const structured =
    'value' in state.Prompt && isRecord(state.Prompt.value)
      ? compileTemplate(state.Prompt.value, dialect, 'Prompt')
      : undefined;
  return (run, selected) => {
    const value = structured ? structured(evaluation(run, selected)) : prompt(run, selected);
    return filled(textOf(value), run, selected);
  };
}

/** A structured prompt is its title and its description. */
function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return JSON.stringify(value);
  const { Title: title, Description: description } = value;
  const parts = [title, description].filter((part) => typeof part === 'string');
  return parts.length > 0 ? parts.join('\n\n') : JSON.stringify(value);
}
