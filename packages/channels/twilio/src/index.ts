export { contactKey } from './twilio-channel.ts';
export { twilioChannel, type TwilioOptions } from './twilio-channel.ts';
