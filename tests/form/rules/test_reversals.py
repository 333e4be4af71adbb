"""What a message says to have changed contradicts what was said of the same thing, and nothing else."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recollect.form.rules.extract import read_updates
from recollect.form.sources import FormInput
from recollect.text.updates import contradicts
from recollect.types import ConversationId, LoggedMessage, Subject


def is_contradicted(news: str, old: str) -> bool:
    """Return whether a message says something that an older sentence contradicts."""
    said_at = datetime(2026, 3, 3, tzinfo=UTC)
    message = LoggedMessage(
        conversation=ConversationId("c"),
        seq=1,
        parent_seq=0,
        role="user",
        text=news,
        name=None,
        said_at=said_at,
        recorded_at=said_at,
        complete=True,
        hash=1,
    )
    source = FormInput(messages=(message,), subject=Subject("user", "ana"), time_zone=ZoneInfo("Europe/London"))
    return any(contradicts(update, old) for _, update in read_updates(source))


@pytest.mark.parametrize(
    ("news", "old"),
    [
        (
            "since i joined the post office i'm up at 4, any tips for early mornings?",
            "i'm on nights at the warehouse, 10 til 6",
        ),
        (
            "since they put me on the late shift i can't make choir, any choirs that meet in the morning?",
            "my shift is 6 to 2 every day",
        ),
        ("now that i cycle to work, what lights do i need?", "i commute by train to Reading every day"),
        ("seit ich bei der Post arbeite, tut mir der Rücken weh, was hilft?", "ich arbeite bei Lidl an der Kasse"),
        ("seitdem ich in Mainz wohne, fehlt mir das Meer. wo kann man hier schwimmen?", "ich wohne in Hannover"),
        (
            "depuis que je travaille à la mairie, je dors mieux, tu crois que c'est le stress ?",
            "je travaille chez Carrefour",
        ),
        ("desde que vivo en Gijón, llueve siempre, ¿qué hago los domingos?", "vivo en Sevilla con mi hermana"),
        ("desde que trabalho no hospital, chego tarde, que jantar rápido faço?", "trabalho numa padaria em Braga"),
        ("since we had to rehome rufus the house is so quiet, how do people cope?", "my dog Rufus sleeps on my bed"),
        ("since i started eating meat again my iron's fine, should i still take tablets?", "I'm vegetarian"),
        ("now that we're back in the office three days a week, what shoes should i get?", "i work from home full time"),
        ("ever since i switched to days i can't nap anymore, why?", "I work nights as a security guard"),
        ("after moving to the Camden office my commute doubled, podcast ideas?", "my desk is at the Hoxton office"),
        ("they moved me to the fraud team last week", "i'm in the billing team, on the phones all day"),
        ("I've been transferred to the Bolton branch", "I work at the Stockport branch"),
        ("got assigned to ward 12, it's so much calmer", "i'm on the ward 7 rota as a nurse"),
        ("my schedule got switched to tue to sat", "my schedule is mon to thu, 9 to 5"),
        ("book club's on thursdays now", "book club meets on the first tuesday of the month"),
        ("rehearsal's mondays at the church hall now", "we rehearse wednesdays at 8 in Sam's garage"),
        ("piano got bumped to wednesdays because of the recital", "my piano lesson is every friday at 4"),
        ("they shifted weigh-in to thursday evenings", "my weigh-in is saturday mornings"),
        ("they demoted me to agent again, ugh", "i'm a team lead in support"),
        (
            "leisure centre closed mondays so five-a-side's on wednesdays now",
            "we play five-a-side every second monday at the leisure centre",
        ),
        ("head office posted me to the Nottingham store", "I'm a store manager in Derby"),
        ("chemo's been switched to thursdays", "my chemo sessions are on mondays"),
        ("yoga's at the library now, 6:30", "yoga is at 7pm at the community centre"),
        (
            "baby shower's moved to the 10th, venue flooded",
            "the baby shower is on 3 may, i'm bringing the cake that day",
        ),
        ("boss has put me on the late desk tuesdays and thursdays instead", "i'm on reception mondays and fridays"),
        ("standup's 10 now, thank god", "our standup is at 9:30"),
        ("Pete's back on cheese, lasted three weeks lol", "my husband's gone vegan, so no cheese in the house"),
        ("back on the coffee, two cups a day", "I gave up coffee in january"),
        ("Mel's smoking again :(", "my wife quit smoking last month"),
        ("i'm back on the wine, moderately", "i don't drink, been sober since march"),
        ("back to eating sugar, life's too short", "we've cut out sugar completely"),
        ("back on bread since easter", "i'm doing keto, no bread for me"),
        ("i'm back on caffeine", "i'm off caffeine"),
        ("back running since last week, knee's good", "I've stopped running because of my knee"),
        ("Nico's back on normal bread, it wasn't gluten after all", "my partner is on a gluten free diet"),
        ("Luca's back on wine, that didn't last", "my boyfriend's gone teetotal so no wine at dinner"),
        ("back on instagram, i'm weak", "I've quit instagram"),
        ("i'm dating again", "i'm on a break from dating"),
        ("we're back on dairy, the kids revolted", "we've gone dairy free at home"),
        ("the bungalow fell through, seller changed her mind", "we've had an offer accepted on a bungalow in Saltburn"),
        ("survey found subsidence so we pulled out", "offer accepted on the flat in Deal!!"),
        ("Nestor withdrew the offer, gutted", "I got the job offer from Nestor, starting 4 may"),
        (
            "the adoption fell through, they gave him to someone else",
            "we're adopting a greyhound from the rescue in june",
        ),
        ("builder went bust so no extension for now", "we're getting an extension built in spring"),
        ("van was a rustbucket so i walked away", "i'm buying a van from a bloke in Hull"),
        ("had to pull out of the marathon, shin splints", "I'm going to run the Leeds marathon in may"),
        ("the landlord pulled out of the lease", "signed a lease on a studio in Bath"),
        ("the exchange student isn't coming after all", "we're hosting an exchange student from Peru in the autumn"),
        ("i turned down the masters place, can't afford it", "I'm doing a masters at Kent from september"),
        ("bank pulled the mortgage, so that's that", "mortgage approved, we're buying in Otley"),
        ("Oslo's off, Jen broke her leg", "i'm flying to Oslo on the 3rd with Jen"),
        ("we scrapped the cafe idea, rents are mad", "we're opening a cafe in Hove in july"),
        ("no kitten after all, landlord said no", "we're getting a kitten on saturday"),
        ("I'm doing Kotlin these days", "I write Java at work"),
        ("we rewrote it in Elixir", "our backend is in Ruby"),
        ("ported everything to Go, so Go examples from now on", "please give me examples in Python, it's what i use"),
        ("i moved everything over to Affinity", "i use Photoshop for my edits"),
        ("we ripped out Jenkins, it's all github actions now", "we deploy with Jenkins"),
        ("wiped the laptop and put Fedora on it", "I run Ubuntu on my laptop"),
        ("migrated to Obsidian over the weekend", "my notes are all in Evernote"),
        ("we're on postgres now", "we're on MySQL 5.7"),
        ("i've gone over to TypeScript fully", "I code in PHP mostly"),
        ("company switched us to Teams", "we use Slack at work"),
        ("neovim's my editor now", "my editor is VS Code"),
        ("We're a Rust shop now, use that from now on", "Please write code in C#, that's what we use at work"),
        ("frontend's been rewritten in Svelte", "our frontend is Angular"),
        ("i drive him every thursday now", "I drive grandpa to the day centre every tuesday"),
        ("i call her saturdays now", "I call my sister every sunday"),
        ("i take him on fridays now", "I take Milo to swimming on mondays"),
        ("i water them once a week now", "I water the ferns every 3 days"),
        ("she comes on mondays now", "my cleaner comes on wednesdays"),
        ("i pick them up at 5 now, they've got after school club", "i pick up the twins at 3"),
        ("i visit her wednesdays now cause of work", "I visit nan at the home every saturday"),
        ("she sees me mondays now", "my therapist sees me on tuesdays at 10"),
        ("i take them at night now, doctor's orders", "I take my blood pressure pills in the morning"),
        ("i walk him at 6 now", "I walk the neighbour's dog at 8 every morning"),
        ("Bartek said no, he found something closer to uni", "maybe my cousin Bartek moves in with us"),
        ("owen's not taking it, so we're advertising", "maybe my mate Owen takes the spare room"),
        ("hana decided against it", "my sister Hana might come and live with us"),
        ("greta turned us down", "my aunt Greta is probably going to be our nanny"),
        ("luis can't do it, wrong week", "we asked my friend Luis to be best man"),
        ("karl passed on it, too busy", "maybe my brother Karl joins the band on bass"),
    ],
)
def test_news_contradicts_what_was_so(news: str, old: str) -> None:
    assert is_contradicted(news, old)


@pytest.mark.parametrize(
    ("news", "old"),
    [
        ("since i work at Halden i get free parking, where's the entrance?", "I work at Halden Logistics"),
        ("now that it's spring, where can we picnic?", "we live in Leeds"),
        ("now that my sister lives in Whitby, which train do i take?", "we live in Leeds"),
        ("since i started running i sleep better, why?", "I'm a nurse at St Anne's"),
        ("since my brother started eating meat again he cooks less, recipes?", "I'm vegetarian"),
        ("seit mein Bruder in Mainz wohnt, telefonieren wir mehr, welche App?", "ich wohne in Hannover"),
        ("depuis que ma soeur travaille à la mairie, elle est stressée, une idée ?", "je travaille chez Carrefour"),
        ("since i moved my bed i sleep better on days off, weird?", "I work nights as a guard"),
        ("they moved the printer to the fraud team", "i'm in the billing team"),
        ("they transferred my money to the Bolton branch", "I work at the Stockport branch"),
        ("choir is on wednesdays now", "my piano lesson is every friday at 4"),
        ("film club's on thursdays now", "book club meets on tuesdays"),
        ("my son's chess is on thursdays now", "I play chess on mondays"),
        ("my sister got a new boss, Dmitri", "my boss is Karen"),
        ("the cake arrives on the 13th now", "the party is on the 14th of june"),
        ("my flight's on the 10th now", "the wedding is on 3 may"),
        ("my brother's back on cheese", "my husband's gone vegan"),
        ("back on the bike today", "I gave up coffee in january"),
        ("back on the bus after a week of cycling", "I'm vegetarian"),
        ("back to work on monday", "i don't drink"),
        ("my sister's house sale fell through", "we've had an offer accepted on a bungalow in Saltburn"),
        ("we pulled out of the pub quiz", "I'm going to run the Leeds marathon in may"),
        ("we're in! the concert queue was mad", "we live in Slough"),
        ("slept in a new hotel last night, loved it", "I live in Totton"),
        ("i turned down a second helping of cake", "I'm doing a masters at Kent from september"),
        ("I'm doing pottery these days", "I write Java at work"),
        ("i'm learning Kotlin on the side", "I write Java at work"),
        ("my brother does Kotlin these days", "I write Java at work"),
        ("the frontend's been rewritten in Svelte", "our backend is in Ruby"),
        ("my gym uses Teams now", "we use Slack at work"),
        ("i'm reading a book on TypeScript now", "I code in PHP mostly"),
        ("i drive her to school every thursday now", "I drive grandpa every tuesday"),
        ("i call him saturdays now", "I call my sister every sunday"),
        ("he comes home on mondays now", "my cleaner comes on wednesdays"),
        ("Bartek said no to dessert, weird", "my cousin Bartek lives with us"),
        ("karl passed his driving test", "my brother Karl plays bass in our band"),
        ("hana decided against the blue dress", "my sister Hana is a vet"),
    ],
)
def test_news_of_something_else_contradicts_nothing(news: str, old: str) -> None:
    assert not is_contradicted(news, old)
