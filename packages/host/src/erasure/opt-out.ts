/** The prefix of the ids of the records of contacts who have opted out of a channel. */
const optOutPrefix = 'host:opt-out/';

/**
 * The id of the record that a contact has opted out of a channel.
 *
 * @param contact in its canonical form
 */
export function optOutOf(channel: string, contact: string): string {
  return optOutPrefix + JSON.stringify([channel, contact]);
}
