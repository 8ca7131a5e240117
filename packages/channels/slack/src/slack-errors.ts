/** Errors of `chat.postMessage` about the message or its place. All others are of the app, of Slack, or of the moment. */
const finalErrors: readonly string[] = [
  'as_user_not_supported',
  'cannot_reply_to_message',
  'channel_not_found',
  'ekm_access_denied',
  'is_archived',
  'is_inactive',
  'message_limit_exceeded',
  'messages_tab_disabled',
  'msg_too_long',
  'no_text',
  'not_in_channel',
  'restricted_action',
  'restricted_action_non_threadable_channel',
  'restricted_action_read_only_channel',
  'restricted_action_thread_locked',
  'restricted_action_thread_only_channel',
  'team_not_found',
  'user_not_found',
];

/** Whether Slack would refuse the message again. Spec: Slack, `chat.postMessage`, "Errors" */
export function isFinal(error: string | undefined): boolean {
  return error !== undefined && finalErrors.includes(error);
}

export function isLimit(error: string | undefined): boolean {
  return error === 'ratelimited' || error === 'rate_limited';
}
