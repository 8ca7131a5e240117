import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type {
  Approval,
  Batch,
  Editable,
  Escalation,
  Notification,
  Policy,
  StateBase,
} from '../definition/index.ts';
import { readChoiceRules } from './choice.ts';
import { readLeads } from './state.ts';
import {
  given,
  numberOf,
  partOf,
  pathOf,
  type Placed,
  type Reading,
  record,
  records,
  textOf,
  texts,
} from './fields.ts';

/** Spec: Agent 2 §Approval State, Agent 6. Its expressions are JSONPath. */
export function readApproval(base: StateBase, placed: Placed, reading: Reading): Approval {
  const { value: fields } = placed;
  const options = texts(placed, 'Options', reading);
  return {
    ...base,
    ...readLeads(placed),
    Type: 'Approval',
    Prompt: given(placed, 'Prompt', isPrompt, 'JSONPath'),
    Options: options.length > 0 ? options : ['approve', 'reject'],
    Timeout: textOf(fields['Timeout']),
    OnTimeout: onTimeout.find((word) => word === fields['OnTimeout']),
    ResultPath: pathOf(fields['ResultPath'], undefined),
    Choices: readChoiceRules(placed, reading),
    Default: textOf(fields['Default']),
    Editable: readEditable(placed, reading),
    Escalation: readEscalation(placed, reading),
    Policy: readPolicy(placed, reading),
    Notifications: readNotifications(placed, reading),
    Batch: readBatch(fields),
  };
}

const onTimeout = ['AutoReject', 'AutoApprove', 'Escalate', 'Fail'] as const;

function isPrompt(value: Json): value is string | JsonObject {
  return typeof value === 'string' || isRecord(value);
}

function readEditable(placed: Placed, reading: Reading): Editable | undefined {
  const editable = partOf(placed, 'Editable');
  return (
    editable && {
      Fields: texts(editable, 'Fields', reading),
      ResultPath: textOf(editable.value['ResultPath']) ?? '$.editedContent',
    }
  );
}

/** One step with its repetitions, a list of levels, or both. */
function readEscalation(placed: Placed, reading: Reading): Escalation[] {
  const escalation = partOf(placed, 'Escalation');
  if (!escalation) return [];
  const levels = records(escalation, 'Levels', reading).map((level) => readLevel(level, reading));
  const own = readLevel(escalation, reading);
  const says = own.After !== undefined || own.Notify.length > 0 || own.EscalateTo !== undefined;
  return says ? [own, ...levels] : levels;
}

function readLevel(placed: Placed, reading: Reading): Escalation {
  const { value: fields } = placed;
  const { Repeat: repeat } = fields;
  const every = textOf(repeat) ?? textOf(record(repeat)['Every']);
  return {
    After: textOf(fields['After']),
    Notify: texts(placed, 'Notify', reading),
    Message: textOf(fields['Message']),
    EscalateTo: textOf(fields['EscalateTo']),
    AutoApprove: fields['AutoApprove'] === true,
    Repeat:
      every === undefined
        ? undefined
        : { Every: every, MaxTimes: numberOf(record(repeat)['MaxTimes']) },
  };
}

/** A tutorial lists names where the specification has `Users` and `Roles`. */
function readPolicy(placed: Placed, reading: Reading): Policy | undefined {
  const policy = partOf(placed, 'Policy');
  if (!policy) return undefined;
  const { value: fields } = policy;
  const listed = Array.isArray(fields['Approvers'])
    ? { users: texts(policy, 'Approvers', reading), roles: [] }
    : undefined;
  const approvers = partOf(policy, 'Approvers');
  const named = approvers && {
    users: texts(approvers, 'Users', reading),
    roles: texts(approvers, 'Roles', reading),
  };
  return {
    Approvers: listed ?? named,
    RequiredApprovals:
      numberOf(fields['RequiredApprovals']) ?? numberOf(fields['RequiredApprovers']) ?? 1,
    ExcludeRequestor: fields['ExcludeRequestor'] === true,
    RequireReason: fields['RequireReason'] === true,
  };
}

function readNotifications(placed: Placed, reading: Reading): Notification[] {
  const notifications = partOf(placed, 'Notifications');
  if (!notifications) return [];
  return records(notifications, 'Channels', reading).map((channel) => ({
    Type: textOf(channel.value['Type']) ?? '',
    To: [...oneOrMore(channel, 'To', reading), ...oneOrMore(channel, 'Channel', reading)],
    Mention: oneOrMore(channel, 'Mention', reading),
    OnlyAfter: textOf(channel.value['OnlyAfter']),
  }));
}

function oneOrMore(placed: Placed, field: string, reading: Reading): string[] {
  const one = textOf(placed.value[field]);
  return one === undefined ? texts(placed, field, reading) : [one];
}

function readBatch(fields: Placed['value']): Batch | undefined {
  const path = textOf(fields['ItemsPath']);
  if (path === undefined) return undefined;
  const mode = record(fields['BatchMode']);
  return {
    ItemsPath: path,
    AllowPartial: mode['AllowPartial'] === true,
    MinApproved: numberOf(mode['MinApproved']) ?? 0,
  };
}
