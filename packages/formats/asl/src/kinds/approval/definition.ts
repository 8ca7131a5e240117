import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { type Part, partOf } from '../../authored.ts';
import { choiceRule } from '../../definition/choice-rule.ts';
import { block, flag, optional, positiveCount, described, text } from '../../definition/field.ts';
import type { StateDefinition } from '../../definition/machine.ts';
import { type StateBase, stateObject } from '../../definition/state.ts';
import {
  asRecord,
  optionalNumber,
  optionalString,
  readObjects,
  readPath,
  readTexts,
  readValueSource,
} from '../../normalise/fields.ts';
import { type Reading, readLeads } from '../../normalise/state.ts';
import { readChoiceRules } from '../choice.ts';

/** Agent 6 §Escalation */
const level = z.object({
  After: optional(text, 'How long after the question, such as `4h`.'),
  Notify: optional(z.array(text), 'Who is notified.'),
  Message: optional(text, 'The text.'),
  EscalateTo: optional(text, 'An additional approver.'),
  AutoApprove: optional(flag, 'Whether it is approved without a person.'),
});

const repetition = z.object({
  Every: described(text, 'How long between two notifications.'),
  MaxTimes: optional(positiveCount, 'The most notifications.'),
});

/** Agent 6 §Escalation; a tutorial writes `Repeat` as a bare duration. */
const escalation = z.extend(level, {
  Repeat: optional(z.union([text, repetition]), 'How often the step is repeated.'),
  Levels: optional(z.array(level), 'Steps that follow one another.'),
});

/** Agent 6 §Editable content */
const editable = z.object({
  Fields: described(z.array(text), 'Paths of the fields that may be edited.'),
  ResultPath: optional(text, 'Where the edited data goes.'),
});

const approvers = z.object({
  Users: optional(z.array(text), 'Names of people.'),
  Roles: optional(z.array(text), 'Roles of people.'),
});

/** Agent 6 §Policy */
const policy = z.object({
  Approvers: optional(z.union([z.array(text), approvers]), 'Who may decide.'),
  RequiredApprovals: optional(positiveCount, 'How many approvals are required.'),
  /** Tutorial 8. */
  RequiredApprovers: optional(positiveCount, 'How many approvals are required.'),
  ExcludeRequestor: optional(flag, 'Whether the person who asks may not decide.'),
  RequireReason: optional(flag, 'Whether a decision needs a reason.'),
});

const notification = z.object({
  Type: described(text, 'The channel, such as `email`.'),
  To: optional(z.union([text, z.array(text)]), 'The recipients.'),
  Channel: optional(text, 'The channel of a chat.'),
  Mention: optional(z.union([text, z.array(text)]), 'Who is mentioned.'),
  OnlyAfter: optional(text, 'How long to wait before the notification.'),
});

/** Agent 6 §Notifications */
const notifications = z.object({
  Channels: described(z.array(notification), 'The notifications, each with its channel.'),
});

/** Agent 6 §Batches */
const batchMode = z.object({
  AllowPartial: optional(flag, 'Whether a part of the items may be approved.'),
  MinApproved: optional(
    z.number(),
    'The least number of approved items, or below 1 a share of them.',
  ),
});

/** Spec: Agent 2 §Approval State, Agent 6 */
const approval = stateObject(['filters', 'resultPath', 'transition', 'agentBlocks'], {
  /** Agent 2 §Approval State */
  Prompt: optional(
    z.union([text, block]),
    'The question; an object has a `Title` and a `Description`.',
  ),
  /** Agent 6 §Prompts */
  'Prompt.$': optional(text, 'The question, by a path or an intrinsic function.'),
  /** Agent 2 §Approval State, Agent 6 */
  Options: optional(z.array(text), 'The possible decisions; `approve` and `reject` when left out.'),
  /** Agent 2 §Approval State */
  Timeout: optional(text, 'How long to wait, such as `24h`.'),
  /** Agent 2 §Approval State, Agent 6 §Escalation */
  Escalation: optional(escalation, 'The steps when the decision takes long.'),
  /** Agent 2 §Approval State */
  Choices: optional(z.array(choiceRule), 'Where each decision leads.'),
  /** Agent 2 §Approval State */
  Default: optional(
    text,
    'The next state when no choice applies or the time limit passes without a decision.',
  ),
  /** Agent 6 §Editable content */
  Editable: optional(editable, 'The parts of the input that the approver may edit.'),
  /** Agent 6 §Policy */
  Policy: optional(policy, 'The approvers, and how many of them are required.'),
  /** Agent 6 §Notifications */
  Notifications: optional(notifications, 'Notifications, at once or after a while.'),
  /** Agent 6 §Batches */
  ItemsPath: optional(text, 'The list to decide on.'),
  BatchMode: optional(batchMode, 'How a list of items is decided.'),
  /** Tutorial 8 */
  RequiredApprovals: optional(positiveCount, 'The same as in `Policy`.'),
  RequiredApprovers: optional(positiveCount, 'How many approvals are required.'),
  /** Tutorial 8. */
  OnTimeout: optional(
    z.enum(['AutoReject', 'AutoApprove', 'Escalate', 'Fail']),
    'What happens when nobody decides in time.',
  ),
});

/** A step that follows when a decision takes too long. Durations as authored. */
type Escalation = ReturnType<typeof readLevel>;

export interface Notification {
  /** `email`, `slack`: the name of a channel. */
  readonly Type: string;
  readonly To: readonly string[];
  readonly Mention: readonly string[];
  readonly OnlyAfter: string | undefined;
}

export type Approval = ReturnType<typeof readApproval>;

/** The option that approves: `approve` if listed, else the first. */
export function approvingOption({ Options: options }: Pick<Approval, 'Options'>): string {
  return options.includes('approve') ? 'approve' : options[0]!;
}

/** The option that rejects: `reject` if listed, else the last. */
export function rejectingOption({ Options: options }: Pick<Approval, 'Options'>): string {
  return options.includes('reject') ? 'reject' : options.at(-1)!;
}

export const approvalDefinition: StateDefinition<Approval> = {
  schema: approval,
  isAgentOnly: true,
  blocks: {
    Policy: ['The policy of an approval', policy],
    'Policy.Approvers': ['The approvers of a policy', approvers],
    Editable: ['The editable part of an approval', editable],
    Escalation: ['The escalation of an approval', escalation],
    'Escalation.Repeat': ['The repetition of an escalation', repetition],
    'Escalation.Levels.[]': ['A level of an escalation', level],
    Notifications: ['The notifications of an approval', notifications],
    'Notifications.Channels.[]': ['A notification', notification],
    BatchMode: ['The batch mode of an approval', batchMode],
  },
  durations: [
    'Timeout',
    'Escalation.After',
    'Escalation.Repeat',
    'Escalation.Repeat.Every',
    'Escalation.Levels.[].After',
    'Notifications.Channels.[].OnlyAfter',
  ],
};

/** Spec: Agent 2 §Approval State, Agent 6. Its expressions are JSONPath. */
export function readApproval(base: StateBase, authored: Part, reading: Reading) {
  const { value: fields } = authored;
  const options = readTexts(authored, 'Options', reading);
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Approval' as const,
    Prompt: readValueSource(authored, 'Prompt', isPrompt, 'JSONPath'),
    Options: options.length > 0 ? options : ['approve', 'reject'],
    /** As authored, `24h`; undefined waits indefinitely. */
    Timeout: optionalString(fields['Timeout']),
    OnTimeout: onTimeout.find((word) => word === fields['OnTimeout']),
    /** Undefined adds the decision's own fields to the input. */
    ResultPath: readPath(fields['ResultPath'], undefined),
    Choices: readChoiceRules(authored, reading),
    Default: optionalString(fields['Default']),
    Editable: readEditable(authored, reading),
    Escalation: readEscalation(authored, reading),
    Policy: readPolicy(authored, reading),
    Notifications: readNotifications(authored, reading),
    Batch: readBatch(fields),
  };
}

const onTimeout = ['AutoReject', 'AutoApprove', 'Escalate', 'Fail'] as const;

function isPrompt(value: Json): value is string | JsonObject {
  return typeof value === 'string' || isRecord(value);
}

function readEditable(authored: Part, reading: Reading) {
  const part = partOf(authored, 'Editable');
  return (
    part && {
      Fields: readTexts(part, 'Fields', reading),
      ResultPath: optionalString(part.value['ResultPath']) ?? '$.editedContent',
    }
  );
}

/** One step with its repetitions, a list of levels, or both. */
function readEscalation(authored: Part, reading: Reading): Escalation[] {
  const part = partOf(authored, 'Escalation');
  if (!part) return [];
  const levels = readObjects(part, 'Levels', reading).map((one) => readLevel(one, reading));
  const own = readLevel(part, reading);
  const says = own.After !== undefined || own.Notify.length > 0 || own.EscalateTo !== undefined;
  return says ? [own, ...levels] : levels;
}

function readLevel(authored: Part, reading: Reading) {
  const { value: fields } = authored;
  const { Repeat: repeat } = fields;
  const every = optionalString(repeat) ?? optionalString(asRecord(repeat)['Every']);
  return {
    /** Measured from the question; undefined is immediately. */
    After: optionalString(fields['After']),
    Notify: readTexts(authored, 'Notify', reading),
    Message: optionalString(fields['Message']),
    /** An additional approver from then on. */
    EscalateTo: optionalString(fields['EscalateTo']),
    AutoApprove: fields['AutoApprove'] === true,
    /** The interval and the limit of a step that repeats; without a limit it repeats until the decision. */
    Repeat:
      every === undefined
        ? undefined
        : { Every: every, MaxTimes: optionalNumber(asRecord(repeat)['MaxTimes']) },
  };
}

/**
 * A tutorial lists names where the specification has `Users` and `Roles`, and has the number of approvals next to `Policy`.
 */
function readPolicy(authored: Part, reading: Reading) {
  const part = partOf(authored, 'Policy');
  const fields: Part['value'] = part?.value ?? {};
  const least = requiredIn(fields) ?? requiredIn(authored.value);
  if (!part && least === undefined) return undefined;
  return {
    /** Undefined is anyone. */
    Approvers: part && readApprovers(part, reading),
    RequiredApprovals: least ?? 1,
    ExcludeRequestor: fields['ExcludeRequestor'] === true,
    RequireReason: fields['RequireReason'] === true,
  };
}

function requiredIn(fields: Part['value']): number | undefined {
  return optionalNumber(fields['RequiredApprovals']) ?? optionalNumber(fields['RequiredApprovers']);
}

function readApprovers(owner: Part, reading: Reading) {
  if (Array.isArray(owner.value['Approvers']))
    return { users: readTexts(owner, 'Approvers', reading), roles: [] };
  const part = partOf(owner, 'Approvers');
  return (
    part && {
      users: readTexts(part, 'Users', reading),
      roles: readTexts(part, 'Roles', reading),
    }
  );
}

function readNotifications(authored: Part, reading: Reading): Notification[] {
  const part = partOf(authored, 'Notifications');
  if (!part) return [];
  return readObjects(part, 'Channels', reading).map((channel) => ({
    Type: optionalString(channel.value['Type']) ?? '',
    To: [...oneOrMore(channel, 'To', reading), ...oneOrMore(channel, 'Channel', reading)],
    Mention: oneOrMore(channel, 'Mention', reading),
    OnlyAfter: optionalString(channel.value['OnlyAfter']),
  }));
}

function oneOrMore(authored: Part, field: string, reading: Reading): string[] {
  const one = optionalString(authored.value[field]);
  return one === undefined ? readTexts(authored, field, reading) : [one];
}

function readBatch(fields: Part['value']) {
  const path = optionalString(fields['ItemsPath']);
  if (path === undefined) return undefined;
  const mode = asRecord(fields['BatchMode']);
  return {
    ItemsPath: path,
    AllowPartial: mode['AllowPartial'] === true,
    /** A number of items, or below 1 a share of them. */
    MinApproved: optionalNumber(mode['MinApproved']) ?? 0,
  };
}
