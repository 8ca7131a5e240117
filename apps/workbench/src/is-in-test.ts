/** Whether a story runs in a test, without pauses for people. */
export const isInTest = import.meta.env.MODE === 'test';
