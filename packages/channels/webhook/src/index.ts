export { webhookChannel, type WebhookChannelOptions } from './webhook-channel.ts';
