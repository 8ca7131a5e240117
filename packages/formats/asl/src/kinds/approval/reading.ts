import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { partOf, type Part } from '../../authored.ts';
import type {
  Approval,
  Batch,
  Editable,
  Escalation,
  Notification,
  Policy,
  StateBase,
} from '../../definition/index.ts';
import {
  readValueSource,
  optionalNumber,
  readPath,
  asRecord,
  readObjects,
  optionalString,
  readTexts,
} from '../../normalise/fields.ts';
import type { Reading } from '../../normalise/reading.ts';
import { readLeads } from '../../normalise/state.ts';
import { readChoiceRules } from '../choice.ts';

/** Spec: Agent 2 §Approval State, Agent 6. Its expressions are JSONPath. */
export function readApproval(base: StateBase, authored: Part, reading: Reading): Approval {
  const { value: fields } = authored;
  const options = readTexts(authored, 'Options', reading);
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Approval',
    Prompt: readValueSource(authored, 'Prompt', isPrompt, 'JSONPath'),
    Options: options.length > 0 ? options : ['approve', 'reject'],
    Timeout: optionalString(fields['Timeout']),
    OnTimeout: onTimeout.find((word) => word === fields['OnTimeout']),
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

function readEditable(authored: Part, reading: Reading): Editable | undefined {
  const editable = partOf(authored, 'Editable');
  return (
    editable && {
      Fields: readTexts(editable, 'Fields', reading),
      ResultPath: optionalString(editable.value['ResultPath']) ?? '$.editedContent',
    }
  );
}

/** One step with its repetitions, a list of levels, or both. */
function readEscalation(authored: Part, reading: Reading): Escalation[] {
  const escalation = partOf(authored, 'Escalation');
  if (!escalation) return [];
  const levels = readObjects(escalation, 'Levels', reading).map((level) =>
    readLevel(level, reading),
  );
  const own = readLevel(escalation, reading);
  const says = own.After !== undefined || own.Notify.length > 0 || own.EscalateTo !== undefined;
  return says ? [own, ...levels] : levels;
}

function readLevel(authored: Part, reading: Reading): Escalation {
  const { value: fields } = authored;
  const { Repeat: repeat } = fields;
  const every = optionalString(repeat) ?? optionalString(asRecord(repeat)['Every']);
  return {
    After: optionalString(fields['After']),
    Notify: readTexts(authored, 'Notify', reading),
    Message: optionalString(fields['Message']),
    EscalateTo: optionalString(fields['EscalateTo']),
    AutoApprove: fields['AutoApprove'] === true,
    Repeat:
      every === undefined
        ? undefined
        : { Every: every, MaxTimes: optionalNumber(asRecord(repeat)['MaxTimes']) },
  };
}

/**
 * A tutorial lists names where the specification has `Users` and `Roles`, and has the number of approvals next to `Policy`.
 */
function readPolicy(authored: Part, reading: Reading): Policy | undefined {
  const policy = partOf(authored, 'Policy');
  const fields: Part['value'] = policy?.value ?? {};
  const required = requiredIn(fields) ?? requiredIn(authored.value);
  if (!policy && required === undefined) return undefined;
  return {
    Approvers: policy && readApprovers(policy, reading),
    RequiredApprovals: required ?? 1,
    ExcludeRequestor: fields['ExcludeRequestor'] === true,
    RequireReason: fields['RequireReason'] === true,
  };
}

function requiredIn(fields: Part['value']): number | undefined {
  return optionalNumber(fields['RequiredApprovals']) ?? optionalNumber(fields['RequiredApprovers']);
}

function readApprovers(policy: Part, reading: Reading): Policy['Approvers'] {
  if (Array.isArray(policy.value['Approvers']))
    return { users: readTexts(policy, 'Approvers', reading), roles: [] };
  const approvers = partOf(policy, 'Approvers');
  return (
    approvers && {
      users: readTexts(approvers, 'Users', reading),
      roles: readTexts(approvers, 'Roles', reading),
    }
  );
}

function readNotifications(authored: Part, reading: Reading): Notification[] {
  const notifications = partOf(authored, 'Notifications');
  if (!notifications) return [];
  return readObjects(notifications, 'Channels', reading).map((channel) => ({
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

function readBatch(fields: Part['value']): Batch | undefined {
  const path = optionalString(fields['ItemsPath']);
  if (path === undefined) return undefined;
  const mode = asRecord(fields['BatchMode']);
  return {
    ItemsPath: path,
    AllowPartial: mode['AllowPartial'] === true,
    MinApproved: optionalNumber(mode['MinApproved']) ?? 0,
  };
}
