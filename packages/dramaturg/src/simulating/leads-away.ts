/** Words of options and events that lead away from the aim of a conversation or a run. */
export const leadsAway =
  /\b(?:reject|refus|declin|den(?:y|ied)|kick|stop|abort|cancel|quit|leav|attack|insult|threat|angr|unclear|nothing usable|nobody|off.?topic|redirect|fail|emergenc|escalat|expire|timeout|return)/i;
