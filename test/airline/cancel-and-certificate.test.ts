import { expect, test } from 'vitest';
import type { Flight, FlightDay } from '../../examples/packages/airline-policy/policy/database.ts';
import {
  changeAnn,
  flight,
  reservation,
  rulesOf,
  smallAirline,
  type SmallAirline,
} from './small-airline.ts';

const DATE = '2024-05-20';

/** An airline whose one booked flight has this row on its date. */
function airlineOn(
  day: FlightDay,
  changes: Parameters<typeof reservation>[0] = {},
  times: Partial<Flight> = {},
): SmallAirline {
  const airline = smallAirline();
  airline.flights['AB1'] = { ...flight('AAA', 'BBB', { [DATE]: day }), ...times };
  airline.reservations['RES001'] = reservation(changes);
  return airline;
}

const landed = (departure: string, arrival: string): FlightDay => ({
  status: 'landed',
  actual_departure_time_est: departure,
  actual_arrival_time_est: arrival,
});
const PUNCTUAL = landed(`${DATE}T06:00:00`, `${DATE}T07:00:00`);

async function cancel(airline: SmallAirline): Promise<string[]> {
  return (await rulesOf(airline, 'cancel_reservation', { reservation_id: 'RES001' })).rules;
}

test.each([
  ['2024-05-14T15:00:00', []],
  ['2024-05-14T14:59:59', ['cancel-not-eligible']],
  ['2024-05-15T15:00:00', []],
  ['2024-05-13T15:00:00', ['cancel-not-eligible']],
])('a booking made at %s may be cancelled within 24 hours', async (created_at, rules) => {
  expect(await cancel(airlineOn({ status: 'on time' }, { created_at }))).toEqual(rules);
});

test.each([
  ['business', { cabin: 'business' as const }],
  ['insurance', { insurance: 'yes' }],
])('%s makes a cancellation eligible', async (_, changes) => {
  expect(await cancel(airlineOn({ status: 'delayed' }, changes))).toEqual([]);
});

test('a flight that the airline cancelled makes it eligible', async () => {
  expect(await cancel(airlineOn({ status: 'cancelled' }))).toEqual([]);
});

test.each([['landed'], ['flying']] as const)(
  'with a flight that is %s nothing is cancelled, whatever else holds',
  async (status) => {
    const airline = airlineOn(
      { ...PUNCTUAL, status },
      {
        cabin: 'business',
        insurance: 'yes',
        created_at: '2024-05-15T14:00:00',
        flights: [
          { flight_number: 'AB1', date: DATE, price: 1 },
          { flight_number: 'BC1', date: DATE, price: 1 },
        ],
      },
    );
    airline.flights['BC1'] = flight('BBB', 'CCC', { [DATE]: { status: 'cancelled' } });
    expect(await cancel(airline)).toEqual(['cancel-flown']);
  },
);

test('flown and not eligible are told together', async () => {
  expect(await cancel(airlineOn(PUNCTUAL))).toEqual(['cancel-flown', 'cancel-not-eligible']);
});

async function certificate(amount: unknown, airline: SmallAirline): Promise<string[]> {
  return (await rulesOf(airline, 'send_certificate', { user_id: 'ann', amount })).rules;
}

const INSURED = { insurance: 'yes' };

test('an unknown user ends the matter', async () => {
  const { rules } = await rulesOf(smallAirline(), 'send_certificate', { user_id: 'x', amount: 50 });
  expect(rules).toEqual(['unknown-user']);
});

test('a cancelled flight is worth 100 and a late one 50 for each passenger', async () => {
  expect(await certificate(200, airlineOn({ status: 'cancelled' }, INSURED))).toEqual([]);
  expect(await certificate(100, airlineOn({ status: 'cancelled' }, INSURED))).toEqual([
    'certificate-amount',
  ]);
  expect(await certificate(100, airlineOn({ status: 'delayed' }, INSURED))).toEqual([]);
  expect(await certificate(200, airlineOn({ status: 'delayed' }, INSURED))).toEqual([
    'certificate-amount',
  ]);
});

test.each([[undefined], ['200'], [null], [0]])(
  'an amount of %j is not the one due',
  async (amount) => {
    expect(await certificate(amount, airlineOn({ status: 'cancelled' }, INSURED))).toEqual([
      'certificate-amount',
    ]);
  },
);

test('a flight on time is worth nothing', async () => {
  expect(await certificate(100, airlineOn({ status: 'on time' }, INSURED))).toEqual([
    'certificate-not-eligible',
  ]);
  expect(await certificate(100, airlineOn(PUNCTUAL, INSURED))).toEqual([
    'certificate-not-eligible',
  ]);
});

test('only members above regular, insured or business bookings qualify', async () => {
  const cancelled = { status: 'cancelled' } as const;
  expect(await certificate(200, airlineOn(cancelled))).toEqual(['certificate-not-eligible']);
  expect(await certificate(200, airlineOn(cancelled, { cabin: 'business' }))).toEqual([]);
  for (const membership of ['silver', 'gold'] as const) {
    const airline = airlineOn(cancelled);
    changeAnn(airline, { membership });
    expect(await certificate(200, airline)).toEqual([]);
  }
});

test.each([
  ['leaves a second late', landed(`${DATE}T06:00:01`, `${DATE}T07:00:00`), []],
  ['lands a second late', landed(`${DATE}T05:00:00`, `${DATE}T07:00:01`), []],
  ['is early', landed(`${DATE}T05:59:59`, `${DATE}T06:59:59`), ['certificate-not-eligible']],
  [
    'is to land late',
    {
      status: 'flying',
      actual_departure_time_est: `${DATE}T06:00:00`,
      estimated_arrival_time_est: `${DATE}T07:30:00`,
    },
    [],
  ],
  [
    'is to land on time',
    {
      status: 'flying',
      actual_departure_time_est: `${DATE}T06:00:00`,
      estimated_arrival_time_est: `${DATE}T07:00:00`,
    },
    ['certificate-not-eligible'],
  ],
  [
    'is expected late and has not left',
    { status: 'on time', estimated_arrival_time_est: `${DATE}T09:00:00` },
    ['certificate-not-eligible'],
  ],
] as [string, FlightDay, string[]][])(
  'a flight that %s is judged by its times',
  async (_, day, rules) => {
    expect(await certificate(100, airlineOn(day, INSURED))).toEqual(rules);
  },
);

test('an arrival marked +1 is scheduled for the next day', async () => {
  const night = {
    scheduled_departure_time_est: '23:00:00',
    scheduled_arrival_time_est: '01:30:00+1',
  };
  const onTime = landed(`${DATE}T23:00:00`, '2024-05-21T01:30:00');
  const late = landed(`${DATE}T23:00:00`, '2024-05-21T01:30:01');
  expect(await certificate(100, airlineOn(onTime, INSURED, night))).toEqual([
    'certificate-not-eligible',
  ]);
  expect(await certificate(100, airlineOn(late, INSURED, night))).toEqual([]);
});

test('the next day may be of the next month', async () => {
  const airline = smallAirline();
  airline.flights['AB1'] = {
    ...flight('AAA', 'BBB', { '2024-05-31': landed('2024-05-31T23:00:00', '2024-06-01T01:00:00') }),
    scheduled_departure_time_est: '23:00:00',
    scheduled_arrival_time_est: '01:30:00+1',
  };
  const booked = [{ flight_number: 'AB1', date: '2024-05-31', price: 1 }];
  airline.reservations['RES001'] = reservation({ ...INSURED, flights: booked });
  expect(await certificate(100, airline)).toEqual(['certificate-not-eligible']);
});

test('either amount of a reservation is due, and amounts of reservations do not add up', async () => {
  const airline = airlineOn({ status: 'cancelled' }, INSURED);
  airline.flights['BC1'] = flight('BBB', 'CCC', { [DATE]: { status: 'delayed' } });
  airline.reservations['RES001'] = reservation({
    ...INSURED,
    flights: [
      { flight_number: 'AB1', date: DATE, price: 1 },
      { flight_number: 'BC1', date: DATE, price: 1 },
    ],
  });
  airline.reservations['RES002'] = reservation({ ...INSURED, passengers: [{}, {}, {}, {}] });
  changeAnn(airline, { reservations: ['RES001', 'RES002'] });
  for (const due of [100, 200, 400]) expect(await certificate(due, airline)).toEqual([]);
  for (const wrong of [300, 600, 50])
    expect(await certificate(wrong, airline)).toEqual(['certificate-amount']);
});

test.each(['get_user_details', 'calculate', 'think', 'toString', '__proto__', 'Book_Reservation'])(
  'the tool %s passes, and nothing is read for it',
  async (tool) => {
    expect(await rulesOf(smallAirline(), tool, { user_id: 'nobody' })).toEqual({
      rules: [],
      reads: 0,
    });
  },
);
