import { expect, test } from 'vitest';
import { changeAnn, available, flight, rulesOf, smallAirline } from './small-airline.ts';

const PASSENGER = { first_name: 'Ann', last_name: 'Lee', dob: '1990-01-01' };

/** A booking without fault: one person, A to B in economy, 200 by credit card. */
const GOOD = {
  user_id: 'ann',
  origin: 'AAA',
  destination: 'BBB',
  flight_type: 'one_way',
  cabin: 'economy',
  flights: [{ flight_number: 'AB1', date: '2024-05-20' }],
  passengers: [PASSENGER],
  payment_methods: [{ payment_id: 'card_1', amount: 200 }],
  total_baggages: 1,
  nonfree_baggages: 0,
  insurance: 'no',
};

async function book(changes: Record<string, unknown>, airline = smallAirline()): Promise<string[]> {
  return (await rulesOf(airline, 'book_reservation', { ...GOOD, ...changes })).rules;
}

const pay = (...entries: [string, number][]) => ({
  payment_methods: entries.map(([payment_id, amount]) => ({ payment_id, amount })),
});
const legs = (...numbers: string[]) => ({
  flights: numbers.map((flight_number) => ({ flight_number, date: '2024-05-20' })),
});
const people = (count: number) => ({ passengers: Array.from({ length: count }, () => PASSENGER) });

test('a booking that keeps every rule passes', async () => {
  expect(await book({})).toEqual([]);
});

test('an unknown user ends the matter', async () => {
  expect(await book({ user_id: 'nobody', passengers: people(9).passengers })).toEqual([
    'unknown-user',
  ]);
  expect(await book({ user_id: undefined })).toEqual(['unknown-user']);
  expect(await book({ user_id: ['ann'] })).toEqual(['unknown-user']);
  expect(await book({ user_id: '__proto__' })).toEqual(['unknown-user']);
  expect(await book({ user_id: 'ann\u0000' })).toEqual(['unknown-user']);
});

test('five passengers are the most', async () => {
  expect(await book({ ...people(5), ...pay(['card_1', 1000]), total_baggages: 5 })).toEqual([]);
  expect(await book({ ...people(6), ...pay(['card_1', 1200]), total_baggages: 6 })).toEqual([
    'book-passenger-limit',
  ]);
});

test.each([
  ['missing', { first_name: 'Ann', last_name: 'Lee' }],
  ['empty', { ...PASSENGER, last_name: '' }],
  ['null', { ...PASSENGER, first_name: null }],
  ['of no person', 'Ann Lee'],
])('details that are %s are told', async (_, passenger) => {
  expect(await book({ passengers: [passenger] })).toEqual(['passenger-details']);
});

test.each(['delayed', 'on time', 'flying', 'landed', 'cancelled'] as const)(
  'a flight that is %s cannot be booked, and its price is then not looked at',
  async (status) => {
    const airline = smallAirline();
    airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-20': { status } });
    expect(await book(pay(['card_1', 1]), airline)).toEqual(['flight-not-bookable']);
  },
);

test('an unknown flight cannot be booked, and the route is then taken as followed', async () => {
  expect(await book(legs('NOPE'))).toEqual(['flight-not-bookable']);
  expect(await book({ flights: [{}] })).toEqual(['flight-not-bookable']);
  expect(await book({ flights: ['AB1'] })).toEqual(['flight-not-bookable']);
});

test('a flight without a row for the date cannot be booked', async () => {
  expect(await book({ flights: [{ flight_number: 'AB1', date: '2030-01-01' }] })).toEqual([
    'flight-not-bookable',
  ]);
  expect(await book({ flights: [{ flight_number: 'AB1', date: 'constructor' }] })).toEqual([
    'flight-not-bookable',
  ]);
});

test('seats are counted in the cabin of the call', async () => {
  const airline = smallAirline();
  airline.flights['AB1'] = flight('AAA', 'BBB', {
    '2024-05-20': {
      ...available(),
      available_seats: { basic_economy: 9, economy: 1, business: 9 },
    },
  });
  expect(await book({}, airline)).toEqual([]);
  const two = { ...people(2), ...pay(['card_1', 400]), total_baggages: 2 };
  expect(await book(two, airline)).toEqual(['flight-seats']);
  expect(await book({ ...two, cabin: 'business', ...pay(['card_1', 1000]) }, airline)).toEqual([]);
});

test('a cabin that does not exist has no seats, no price and no free bags', async () => {
  expect(await book({ cabin: 'first' })).toEqual(['bags-nonfree', 'book-total', 'flight-seats']);
  expect(await book({ cabin: undefined })).toEqual(['bags-nonfree', 'book-total', 'flight-seats']);
});

test.each([
  ['goes by way of another airport', { destination: 'CCC', ...legs('AB1', 'BC1') }, 400],
  ['returns', { flight_type: 'round_trip', ...legs('AB1', 'BA1') }, 400],
  [
    'returns by another way',
    { flight_type: 'round_trip', destination: 'CCC', ...legs('AC1', 'CB1', 'BA1') },
    600,
  ],
])('a route that %s is followed', async (_, trip, price) => {
  expect(await book({ ...trip, ...pay(['card_1', price]) })).toEqual([]);
});

test.each([
  ['is empty', { flights: [] }, 0],
  ['is missing', { flights: undefined }, 0],
  ['starts elsewhere', legs('CB1'), 200],
  ['has a gap', legs('AC1', 'AB1'), 400],
  ['ends elsewhere', legs('AB1', 'BC1'), 400],
  ['does not return', { flight_type: 'round_trip' }, 200],
  [
    'turns back too early',
    { flight_type: 'round_trip', destination: 'CCC', ...legs('AB1', 'BA1') },
    400,
  ],
  [
    'reaches the destination with the last flight alone',
    { flight_type: 'round_trip', destination: 'AAA', ...legs('AB1') },
    200,
  ],
  ['has no trip type', { flight_type: 'open_jaw' }, 200],
])('a route that %s is not followed', async (_, trip, price) => {
  expect(await book({ ...trip, ...pay(['card_1', price]) })).toEqual(['book-route']);
});

test.each([
  ['regular', 'basic_economy', 0],
  ['regular', 'economy', 1],
  ['regular', 'business', 2],
  ['silver', 'basic_economy', 1],
  ['silver', 'economy', 2],
  ['silver', 'business', 3],
  ['gold', 'basic_economy', 2],
  ['gold', 'economy', 3],
  ['gold', 'business', 3],
] as const)(
  'a %s member in %s has %d free bags for each passenger',
  async (membership, cabin, free) => {
    const airline = smallAirline();
    changeAnn(airline, { membership });
    const fare = { basic_economy: 100, economy: 200, business: 500 }[cabin];
    const bags = (total: number, nonfree: number) =>
      book(
        {
          ...people(2),
          cabin,
          total_baggages: total,
          nonfree_baggages: nonfree,
          ...pay(['card_1', 2 * fare + 50 * nonfree]),
        },
        airline,
      );
    expect(await bags(2 * free, 0)).toEqual([]);
    expect(await bags(2 * free + 1, 1)).toEqual([]);
    expect(await bags(2 * free + 1, 0)).toEqual(['bags-nonfree']);
    expect(await bags(0, 1)).toEqual(['bags-nonfree']);
  },
);

test('bags that are no number are not the bags due', async () => {
  expect(await book({ nonfree_baggages: '0' })).toEqual(['bags-nonfree', 'book-total']);
  expect(await book({ total_baggages: undefined })).toEqual(['bags-nonfree']);
});

test('payment methods are those of the profile', async () => {
  expect(await book(pay(['card_9', 200]))).toEqual(['payment-not-in-profile']);
  expect(await book(pay(['__proto__', 200]))).toEqual(['payment-not-in-profile']);
  expect(await book({ payment_methods: [{ amount: 200 }] })).toEqual(['payment-not-in-profile']);
});

test('one certificate, one credit card and three gift cards may pay together', async () => {
  expect(
    await book(pay(['cert_1', 50], ['card_1', 50], ['gift_1', 40], ['gift_2', 30], ['gift_3', 30])),
  ).toEqual([]);
  expect(await book(pay(['cert_1', 100], ['cert_2', 100]))).toEqual(['book-payment-mix']);
  expect(await book(pay(['card_1', 100], ['card_2', 100]))).toEqual(['book-payment-mix']);
  expect(await book(pay(['gift_1', 50], ['gift_2', 50], ['gift_3', 50], ['gift_4', 50]))).toEqual([
    'book-payment-mix',
  ]);
});

test('a payment id counts once, and one outside of the profile not at all', async () => {
  expect(await book(pay(['cert_1', 100], ['cert_1', 100]))).toEqual([]);
  expect(await book(pay(['cert_1', 100], ['cert_9', 100]))).toEqual(['payment-not-in-profile']);
});

test('gift cards and certificates pay no more than they hold, entry by entry; credit cards have no bound', async () => {
  const two = { ...people(2), total_baggages: 2 };
  expect(await book({ ...two, ...pay(['gift_1', 200], ['card_1', 200]) })).toEqual([]);
  expect(await book({ ...two, ...pay(['gift_1', 201], ['card_1', 199]) })).toEqual([
    'payment-balance',
  ]);
  expect(await book({ ...two, ...pay(['gift_1', 200], ['gift_1', 200]) })).toEqual([]);
  expect(await book({ ...pay(['cert_1', 151], ['card_1', 49]) })).toEqual(['payment-balance']);
});

test('the entries add up to fares, insurance and the bags of the call', async () => {
  const two = { ...people(2), total_baggages: 3, nonfree_baggages: 1, insurance: 'yes' };
  expect(await book({ ...two, ...pay(['card_1', 2 * 200 + 2 * 30 + 50]) })).toEqual([]);
  expect(await book({ ...two, ...pay(['card_1', 2 * 200 + 2 * 30]) })).toEqual(['book-total']);
  expect(await book({ payment_methods: [] })).toEqual(['book-total']);
  expect(await book({ payment_methods: undefined })).toEqual(['book-total']);
  expect(await book({ payment_methods: [{ payment_id: 'card_1', amount: '200' }] })).toEqual([
    'book-total',
  ]);
});

test('amounts with cents add up', async () => {
  expect(await book(pay(['card_1', 199.7], ['gift_1', 0.1], ['gift_2', 0.2]))).toEqual([]);
  expect(await book(pay(['card_1', 199.99]))).toEqual(['book-total']);
});

test('a booking for nobody costs nothing and has no details to lack', async () => {
  expect(await book({ passengers: [], payment_methods: [], total_baggages: 0 })).toEqual([]);
  expect(await book({ passengers: undefined, payment_methods: [], total_baggages: 0 })).toEqual([]);
});

test.each([[undefined], [null], ['text'], [[1]], [{}], [42]])(
  'arguments that are %j are judged, not thrown at',
  async (args) => {
    expect((await rulesOf(smallAirline(), 'book_reservation', args)).rules).toEqual([
      'unknown-user',
    ]);
  },
);

test('all the rules of a tool are tried', async () => {
  const rules = await book({
    passengers: Array.from({ length: 6 }, () => ({})),
    flights: [],
    payment_methods: [{ payment_id: 'x', amount: 1 }],
    total_baggages: 0,
    nonfree_baggages: 3,
  });
  expect(rules).toEqual([
    'bags-nonfree',
    'book-passenger-limit',
    'book-route',
    'book-total',
    'passenger-details',
    'payment-not-in-profile',
  ]);
});

test('each flight is read once, and a call with a thousand of them stays within the reads of a run', async () => {
  const airline = smallAirline();
  const same = await rulesOf(airline, 'book_reservation', {
    ...GOOD,
    ...legs('AB1', 'AB1', 'AB1'),
  });
  expect(same.reads).toBe(2);
  const numbers = Array.from({ length: 1000 }, (_, index) => `X${index}`);
  const many = await rulesOf(airline, 'book_reservation', { ...GOOD, ...legs(...numbers) });
  expect(many).toEqual({ rules: ['flight-not-bookable'], reads: 64 });
});
