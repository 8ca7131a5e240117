/** Whether a story runs in the tests, where pauses for people are left out. */
export const isInTest = import.meta.env.MODE === 'test';
