/** The agents of the workflow: a function each, with the data of the workflow as its input. */

export async function Assessor({ amount }) {
  return { reason: amount > 100 ? 'The parcel was lost' : 'The parcel was damaged' };
}

export async function Payment({ amount }) {
  return { paid: amount };
}
