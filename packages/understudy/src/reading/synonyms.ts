import type { Word } from '@dramaturg/compiler/text';
import { isNegated } from './words.ts';

/** Words of everyday speech that mean the same when a choice is offered. The first column is only for readers. */
const groups = `
billing: billing bill invoice payment charge charged paid refund money price
technical: technical tech technician bug crash error broken malfunction software hardware device wifi internet
other: other else another misc miscellaneous different
general: general anything overall
phone: phone telephone call callback ring mobile cell
email: email e-mail mail
text: sms text texting
yearly: yearly annual annually year
monthly: monthly month
weekly: weekly week
daily: daily everyday
small: small little tiny
medium: medium middle mid average
large: large big huge
urgent: urgent asap immediately critical emergency
high: high severe serious
low: low minor
great: great excellent amazing fantastic wonderful superb awesome
good: good nice well
okay: okay ok alright fine decent so-so
poor: poor bad awful terrible horrible
cheap: cheap cheapest basic budget
premium: premium expensive deluxe luxury
running: running run jogging jog
swimming: swimming swim pool
cycling: cycling bike biking bicycle
walking: walking walk hike hiking
strength: strength weights lifting gym
car: car auto automobile
train: train rail railway
plane: plane flight fly flying
morning: morning mornings breakfast
evening: evening evenings tonight
man: male man
woman: female woman
new: new newcomer
delivery: delivery shipping shipment parcel package
login: login password signin
cancel: cancel cancellation terminate
cash: cash coins
card: card visa mastercard credit
`;

const groupsOf = new Map<string, Set<number>>();
for (const [index, line] of groups.trim().split('\n').entries()) {
  for (const word of (line.split(': ')[1] ?? '').split(' ')) {
    groupsOf.set(word, (groupsOf.get(word) ?? new Set()).add(index));
  }
}

/** The options with a synonym in the text, without negated ones. */
export function optionsBySynonym(
  options: readonly (readonly Word[])[],
  text: readonly Word[],
): number[] {
  const said = new Set(
    text.flatMap((word, index) => (isNegated(text, index) ? [] : [...groupIdsOf(word)])),
  );
  return options.flatMap((words, index) =>
    words.some((word) => groupIdsOf(word).some((group) => said.has(group))) ? [index] : [],
  );
}

function groupIdsOf({ text, singular }: Word): number[] {
  return [...(groupsOf.get(text) ?? groupsOf.get(singular) ?? [])];
}
