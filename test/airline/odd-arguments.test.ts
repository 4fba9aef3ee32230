import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rulesOf, smallAirline } from './small-airline.ts';

const TOOLS = [
  'book_reservation',
  'update_reservation_flights',
  'update_reservation_baggages',
  'update_reservation_passengers',
  'cancel_reservation',
  'send_certificate',
];

/** Values as models write them, right and wrong: known ids, other texts, numbers, lists of them, nothing. */
const odd = fc.oneof(
  fc.constantFrom(
    'ann',
    'RES001',
    'AB1',
    'card_1',
    'gift_1',
    '2024-05-20',
    'economy',
    'yes',
    '',
    '1',
    '__proto__',
  ),
  fc.constantFrom(-1, 0, 1, 2.5, 1e308, true, null),
  fc.jsonValue({ maxDepth: 2 }),
);
const item = fc.dictionary(
  fc.constantFrom(
    'flight_number',
    'date',
    'payment_id',
    'amount',
    'first_name',
    'last_name',
    'dob',
  ),
  odd,
);
const args = fc
  .record(
    {
      user_id: fc.oneof(fc.constant('ann'), odd),
      reservation_id: fc.oneof(fc.constant('RES001'), odd),
      flights: fc.oneof(fc.array(item), odd),
      passengers: fc.oneof(fc.array(item), odd),
      payment_methods: fc.oneof(fc.array(item), odd),
      cabin: odd,
      origin: odd,
      destination: odd,
      flight_type: odd,
      payment_id: odd,
      amount: odd,
      insurance: odd,
      total_baggages: odd,
      nonfree_baggages: odd,
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

test.each(TOOLS)('%s is judged by known rules, sorted, whatever its arguments', async (tool) => {
  await fc.assert(
    fc.asyncProperty(args, async (value) => {
      const { rules, reads } = await rulesOf(smallAirline(), tool, value);
      expect(rules).toEqual([...new Set(rules)].sort());
      for (const rule of rules) expect(rule).toMatch(/^[a-z]+(-[a-z]+)+$/);
      expect(reads).toBeLessThanOrEqual(64);
    }),
  );
});
