/** The secrets that the providers of the office's channels know. */
export const secrets = {
  web: 'a secret of the web chat that is long enough',
  telegram: { token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', secret: 'told-to-setWebhook' },
  slack: { token: 'xoxb-1-2-three', signingSecret: '8f742231b10e8888abcd99yyyzzz85a5' },
  twilio: {
    accountSid: `AC${'1'.repeat(32)}`,
    authToken: 'e8d0c2b7a95f4163e8d0c2b7a95f4163',
    url: 'https://desk.example.com/channels/twilio',
  },
} as const;

export const senders = { from: '+15557122661', whatsappFrom: '+14155238886' } as const;
