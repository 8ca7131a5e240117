/** The agents of order.asl.json: a function for each, by its name. */

let calls = 0;

export function Price({ items }) {
  calls += 1;
  // Busy at first, so that the workflow tries again.
  if (calls === 1) throw Object.assign(new Error(), { error: 'Busy', cause: 'Come back later' });
  return items.length * 40;
}

export function Pack(item) {
  return `packed ${item}`;
}
