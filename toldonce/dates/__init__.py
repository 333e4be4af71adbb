"""Date words in a text, made absolute against the moment it was said in the speaker's time zone. Pure."""

from toldonce.dates.clause import Direction as Direction
from toldonce.dates.mention import DateMention as DateMention
from toldonce.dates.mention import Precision as Precision
from toldonce.dates.mention import leave_out_doubtful as leave_out_doubtful
from toldonce.dates.mention import write_out as write_out
from toldonce.dates.mention import written as written
from toldonce.dates.reader import may_name_time as may_name_time
from toldonce.dates.reader import parse_dates as parse_dates
