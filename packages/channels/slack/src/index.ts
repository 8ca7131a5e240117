export { slackChannel, type SlackOptions } from './slack-channel.ts';
