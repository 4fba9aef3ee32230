import { expect, test } from 'vitest';
import {
  changeAnn,
  available,
  flight,
  reservation,
  rulesOf,
  smallAirline,
  type SmallAirline,
} from './small-airline.ts';

const AB = { flight_number: 'AB1', date: '2024-05-20' };
const GOOD = { reservation_id: 'RES001', cabin: 'economy', flights: [AB], payment_id: 'card_1' };

function airlineWith(changes: Parameters<typeof reservation>[0]): SmallAirline {
  const airline = smallAirline();
  airline.reservations['RES001'] = reservation(changes);
  return airline;
}

async function change(changes: object, airline = smallAirline()): Promise<string[]> {
  return (await rulesOf(airline, 'update_reservation_flights', { ...GOOD, ...changes })).rules;
}

const TOOLS = [
  'update_reservation_flights',
  'update_reservation_baggages',
  'update_reservation_passengers',
  'cancel_reservation',
];

test.each(TOOLS)('%s of an unknown reservation ends the matter', async (tool) => {
  const airline = smallAirline();
  for (const id of ['NOPE', '', undefined, 7, 'hathat', 'HATHAX', 'toString']) {
    expect((await rulesOf(airline, tool, { reservation_id: id })).rules).toEqual([
      'unknown-reservation',
    ]);
  }
});

test.each(TOOLS)('%s of a reservation made in the conversation passes', async (tool) => {
  for (const id of ['HATHAT', 'HATHAU', 'HATHAV']) {
    expect((await rulesOf(smallAirline(), tool, { reservation_id: id })).rules).toEqual([]);
  }
});

test('a reservation of the database is judged, whatever its id', async () => {
  const airline = smallAirline();
  airline.reservations['HATHAT'] = reservation();
  expect(
    (await rulesOf(airline, 'cancel_reservation', { reservation_id: 'HATHAT' })).rules,
  ).toEqual(['cancel-not-eligible']);
});

test('flights that all stay need no seat and cost nothing', async () => {
  const airline = smallAirline();
  airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-20': { status: 'delayed' } });
  expect(await change({ payment_id: 'gift_1' }, airline)).toEqual([]);
});

test('in another cabin no flight is kept', async () => {
  const airline = smallAirline();
  airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-20': { status: 'delayed' } });
  expect(await change({ cabin: 'business' }, airline)).toEqual(['flight-not-bookable']);
  airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-20': available(1) });
  expect(await change({ cabin: 'business' }, airline)).toEqual(['flight-seats']);
});

test('basic economy flights stay as they are, in number, date and order', async () => {
  const booked = [
    { flight_number: 'AB1', date: '2024-05-20', price: 100 },
    { flight_number: 'BC1', date: '2024-05-20', price: 100 },
  ];
  const airline = airlineWith({ cabin: 'basic_economy', destination: 'CCC', flights: booked });
  const same = booked.map(({ flight_number, date }) => ({
    flight_number,
    date,
    price: 7,
    note: 'ignored',
  }));
  expect(await change({ cabin: 'basic_economy', flights: same }, airline)).toEqual([]);
  expect(await change({ cabin: 'economy', flights: same }, airline)).toEqual([]);
  const [first, second] = same;
  const later = [first, { ...second, date: '2024-05-21' }];
  expect(await change({ cabin: 'economy', flights: later }, airline)).toEqual([
    'flights-basic-economy',
  ]);
  expect(await change({ cabin: 'basic_economy', flights: [second, first] }, airline)).toEqual([
    'flights-basic-economy',
    'flights-route',
  ]);
  expect(
    await change(
      { cabin: 'basic_economy', flights: [{ flight_number: 'AC1', date: '2024-05-20' }] },
      airline,
    ),
  ).toEqual(['flights-basic-economy']);
});

test("the new flights follow the reservation's route, not the call's", async () => {
  const other = {
    origin: 'AAA',
    destination: 'CCC',
    flights: [{ flight_number: 'AC1', date: '2024-05-20' }],
  };
  expect(await change(other)).toEqual(['flights-route']);
  expect(await change({ flights: [] })).toEqual(['flights-route']);
  expect(await change({ flights: undefined })).toEqual(['flights-route']);
});

test('a new flight must be bookable and have seats', async () => {
  expect(await change({ flights: [{ flight_number: 'AB1', date: '2024-06-30' }] })).toEqual([
    'flight-not-bookable',
  ]);
  const airline = smallAirline();
  airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-21': available(1) });
  expect(
    await change({ flights: [{ flight_number: 'AB1', date: '2024-05-21' }] }, airline),
  ).toEqual(['flight-seats']);
});

test("one gift card or credit card of the owner's profile pays", async () => {
  expect(await change({ payment_id: 'gift_1' })).toEqual([]);
  expect(await change({ payment_id: 'cert_1' })).toEqual(['update-certificate']);
  expect(await change({ payment_id: 'card_9' })).toEqual(['payment-not-in-profile']);
  expect(await change({ payment_id: undefined })).toEqual(['payment-not-in-profile']);
  expect(await change({ payment_id: 'hasOwnProperty' })).toEqual(['payment-not-in-profile']);
});

test('a gift card holds the price difference of all passengers', async () => {
  // Two people, from 150 each to 250 each.
  const airline = smallAirline();
  airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-21': available(9, 125) });
  const dearer = { flights: [{ flight_number: 'AB1', date: '2024-05-21' }], payment_id: 'gift_1' };
  expect(await change(dearer, airline)).toEqual([]);
  airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-21': available(9, 125.5) });
  expect(await change(dearer, airline)).toEqual(['payment-balance']);
  expect(await change({ ...dearer, payment_id: 'card_1' }, airline)).toEqual([]);
});

test('a kept flight counts at its old price', async () => {
  const booked = [
    { flight_number: 'AB1', date: '2024-05-20', price: 1 },
    { flight_number: 'BC1', date: '2024-05-20', price: 150 },
  ];
  const airline = airlineWith({ destination: 'CCC', flights: booked });
  const flights = [AB, { flight_number: 'BC1', date: '2024-05-21' }];
  expect(await change({ flights, payment_id: 'gift_1' }, airline)).toEqual([]);
});

test('with a flight that cannot be booked the balance is not looked at', async () => {
  const airline = smallAirline();
  changeAnn(airline, { payment_methods: { gift_1: { source: 'gift_card', amount: 0 } } });
  const flights = [{ flight_number: 'AB1', date: '2024-05-21' }];
  expect(await change({ flights, payment_id: 'gift_1' }, airline)).toEqual(['payment-balance']);
  airline.flights['AB1'] = flight('AAA', 'BBB', { '2024-05-21': { status: 'cancelled' } });
  expect(await change({ flights, payment_id: 'gift_1' }, airline)).toEqual(['flight-not-bookable']);
});

const BAGS = {
  reservation_id: 'RES001',
  total_baggages: 2,
  nonfree_baggages: 0,
  payment_id: 'card_1',
};

async function bags(changes: object, airline = smallAirline()): Promise<string[]> {
  return (await rulesOf(airline, 'update_reservation_baggages', { ...BAGS, ...changes })).rules;
}

test('bags can be added, not removed', async () => {
  expect(await bags({ total_baggages: 2 })).toEqual([]);
  expect(await bags({ total_baggages: 1 })).toEqual(['bags-removed']);
  expect(await bags({ total_baggages: undefined })).toEqual(['bags-nonfree', 'bags-removed']);
  expect(await bags({ total_baggages: '3' })).toEqual(['bags-nonfree', 'bags-removed']);
});

test('the bags due are those of the cabin or of a higher one, never of a lower one', async () => {
  // Two regular passengers: 2 free bags in economy, 4 in business.
  expect(await bags({ total_baggages: 5, nonfree_baggages: 3 })).toEqual([]);
  expect(await bags({ total_baggages: 5, nonfree_baggages: 1 })).toEqual([]);
  expect(await bags({ total_baggages: 5, nonfree_baggages: 2 })).toEqual(['bags-nonfree']);
  expect(await bags({ total_baggages: 5, nonfree_baggages: 5 })).toEqual(['bags-nonfree']);
  const business = airlineWith({ cabin: 'business' });
  expect(await bags({ total_baggages: 5, nonfree_baggages: 3 }, business)).toEqual([
    'bags-nonfree',
  ]);
});

test('a gift card holds the price of the added bags', async () => {
  expect(await bags({ total_baggages: 6, nonfree_baggages: 4, payment_id: 'gift_1' })).toEqual([]);
  expect(await bags({ total_baggages: 7, nonfree_baggages: 5, payment_id: 'gift_1' })).toEqual([
    'payment-balance',
  ]);
  const paid = airlineWith({ total_baggages: 7, nonfree_baggages: 5 });
  expect(
    await bags({ total_baggages: 7, nonfree_baggages: 5, payment_id: 'gift_1' }, paid),
  ).toEqual([]);
  expect(
    await bags({ total_baggages: 7, nonfree_baggages: 3, payment_id: 'gift_1' }, paid),
  ).toEqual([]);
  expect(await bags({ payment_id: 'cert_1' })).toEqual(['update-certificate']);
  expect(await bags({ payment_id: 'x' })).toEqual(['payment-not-in-profile']);
});

test('the number of passengers stays, and each has details', async () => {
  const passenger = { first_name: 'Ann', last_name: 'Lee', dob: '1990-01-01' };
  const change = async (passengers: unknown) =>
    (
      await rulesOf(smallAirline(), 'update_reservation_passengers', {
        reservation_id: 'RES001',
        passengers,
      })
    ).rules;
  expect(await change([passenger, passenger])).toEqual([]);
  expect(await change([passenger])).toEqual(['passengers-count']);
  expect(await change([])).toEqual(['passengers-count']);
  expect(await change(undefined)).toEqual(['passengers-count']);
  expect(await change([passenger, { ...passenger, dob: '' }])).toEqual(['passenger-details']);
  expect(await change([null, passenger, passenger])).toEqual([
    'passenger-details',
    'passengers-count',
  ]);
});
