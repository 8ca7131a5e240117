/** The calendar of the clinic: how many patients it has at a time. */
const patients = new Map();
const rooms = 5;

export function reserve({ day }) {
  const count = patients.get(day) ?? 0;
  if (count === rooms) throw Object.assign(new Error('All rooms are taken.'), { error: 'Taken' });
  patients.set(day, count + 1);
  return { id: `${day} in room ${count + 1}`, at: new Date(day).toISOString() };
}

export const confirm = ({ id }) => ({ id });

export function release({ day }) {
  patients.set(day, patients.get(day) - 1);
  return { day };
}
