export { contactKey } from './contacts.ts';
export { slackChannel, type SlackOptions } from './slack-channel.ts';
