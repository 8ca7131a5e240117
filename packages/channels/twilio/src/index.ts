export { twilioChannel, type TwilioOptions } from './twilio-channel.ts';
