/** Whether a story is opened by the tests, where nobody looks and nothing need take its time. */
export const isInTest = import.meta.env.MODE === 'test';
